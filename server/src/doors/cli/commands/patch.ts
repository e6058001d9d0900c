import { defined } from "@holdfast/sdk/base/defined";
import type { allOperations, InputOf } from "@holdfast/sdk/contract";
import type { Json } from "@holdfast/sdk/json/json";
import type { CliCommand } from "../command.ts";
import { UsageError } from "../args/usage-error.ts";
import { readJsonArgument } from "../args/read-json-argument.ts";
import type { JsonArgument } from "../args/read-json-argument.ts";
import { entityArgument, textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { conditionsOf, keyOf, writeOptions, writtenLine } from "../args/write-options.ts";

const patchArgument: JsonArgument = {
  name: "PATCH",
  operation: "patch-entity",
  pointerOf: (text) => (/^\s*\[/u.test(text) ? "/patch" : "/merge"),
};

export const patchCommand: CliCommand = serverCommand({
  name: "patch",
  usage: "TYPE/ID [PATCH]",
  positionalsMin: 1,
  positionalsMax: 2,
  summary: "change fields of an entity",
  details: [
    "Changes fields of an entity. An object is a merge patch (RFC 7396): its fields are set, and null removes a field. An",
    "array is a JSON patch (RFC 6902). PATCH is JSON, @FILE, or - for standard input, which is also the default.",
    "",
    `  holdfast patch plan/42 '{"status": "done"}' --expect 7`,
    `  holdfast patch plan/42 '{"owner": "bob"}' --expect 7 --if-unchanged /owner,/team`,
    `  holdfast patch plan/42 '[{"op": "add", "path": "/tags/-", "value": "hot"}]'`,
  ],
  options: {
    ...writeOptions,
    "if-unchanged": {
      value: "POINTERS",
      summary: "restrict --expect to these fields, separated by commas: changes of other fields do not conflict",
    },
  },
  operations: ["patch-entity"],
  async execute(context) {
    const { call, positionals, values, terminal, show } = context;
    const { type, id } = entityArgument(positionals[0] ?? "");
    const patch = patchOf(await readJsonArgument(positionals[1], patchArgument, terminal));
    const if_unchanged = textOption(values, "if-unchanged")?.split(",");
    const input = { type, id, ...patch, ...conditionsOf(context), ...defined({ if_unchanged }) };
    const written = await call("patch-entity", input, keyOf(context));
    return show(written, () => writtenLine(written, "changed"));
  },
});

type PatchEntity = (typeof allOperations)["patch-entity"];

function patchOf(value: Json): Pick<InputOf<PatchEntity>, "merge" | "patch"> {
  if (Array.isArray(value)) return { patch: value as InputOf<PatchEntity>["patch"] & object };
  if (typeof value === "object" && value !== null) return { merge: value };
  throw new UsageError("PATCH must be an object (a merge patch) or an array (a JSON patch)");
}
