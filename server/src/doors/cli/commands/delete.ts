import type { Command } from "../command.ts";
import { entityWord } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { writeOptions, writeOptionsOf, writtenWords } from "../args/write-options.ts";

export const deleteCommand: Command = serverCommand({
  name: "delete",
  words: "TYPE/ID",
  wordsMin: 1,
  wordsMax: 1,
  summary: "delete an entity; its history stays",
  details: [
    "Deletes an entity. What it was stays in the history, and if it is created again its versions go on counting.",
    "",
    "  holdfast delete note/first --expect 3",
  ],
  options: writeOptions,
  operations: ["delete-entity"],
  async ask(asking) {
    const { type, id } = entityWord(asking.words[0] ?? "");
    const deleted = await asking.client.entities.delete(type, id, writeOptionsOf(asking));
    return asking.show(deleted, () => writtenWords(deleted, "deleted"));
  },
});
