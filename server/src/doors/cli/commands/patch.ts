import type { EntityPatch, PatchStep } from "@holdfast/sdk";
import { type Command, UsageError } from "../command.ts";
import { jsonWord } from "../args/json-word.ts";
import { entityWord, textOption } from "../args/option-values.ts";
import { serverCommand } from "../discovery/server-command.ts";
import { writeOptions, writeOptionsOf, writtenWords } from "../args/write-options.ts";

export const patchCommand: Command = serverCommand({
  name: "patch",
  words: "TYPE/ID [PATCH]",
  wordsMin: 1,
  wordsMax: 2,
  summary: "change fields of an entity",
  details: [
    "Changes fields of an entity. An object is a merge patch (RFC 7396): its fields are set, null removes one. An array is",
    "a JSON patch (RFC 6902). PATCH is JSON, @FILE, or - for standard input, as is none at all.",
    "",
    `  holdfast patch plan/42 '{"status": "done"}' --expect 7`,
    `  holdfast patch plan/42 '{"owner": "bob"}' --expect 7 --if-unchanged /owner,/team`,
    `  holdfast patch plan/42 '[{"op": "add", "path": "/tags/-", "value": "hot"}]'`,
  ],
  options: {
    ...writeOptions,
    "if-unchanged": {
      value: "POINTERS",
      summary: "narrow --expect to these fields, between commas: edits of others do not conflict",
    },
  },
  operations: ["patch-entity"],
  async ask(asking) {
    const { client, words, values, terminal, show } = asking;
    const { type, id } = entityWord(words[0] ?? "");
    const patch = patchOf(await jsonWord(words[1], "PATCH", terminal));
    const pointers = textOption(values, "if-unchanged")?.split(",");
    const options = { ...writeOptionsOf(asking), ...(pointers === undefined ? {} : { ifUnchanged: pointers }) };
    const written = await client.entities.patch(type, id, patch, options);
    return show(written, () => writtenWords(written, "changed"));
  },
});

function patchOf(value: unknown): EntityPatch {
  if (Array.isArray(value)) return { patch: value as PatchStep[] };
  if (typeof value === "object" && value !== null) return { merge: value as Record<string, unknown> };
  throw new UsageError("PATCH is an object (a merge patch) or an array (a JSON patch)");
}
