import type { CliCommand } from "../command.ts";
import { entityArgument } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { conditionsOf, keyOf, writeOptions, writtenLine } from "../args/write-options.ts";

export const deleteCommand: CliCommand = serverCommand({
  name: "delete",
  usage: "TYPE/ID",
  positionalsMin: 1,
  positionalsMax: 1,
  summary: "delete an entity; its history stays",
  details: [
    "Deletes an entity. Its history stays. If the entity is created again, its version numbers continue.",
    "",
    "  holdfast delete note/first --expect 3",
  ],
  options: writeOptions,
  operations: ["delete-entity"],
  async execute(context) {
    const { type, id } = entityArgument(context.positionals[0] ?? "");
    const deleted = await context.call("delete-entity", { type, id, ...conditionsOf(context) }, keyOf(context));
    return context.show(deleted, () => writtenLine(deleted, "deleted"));
  },
});
