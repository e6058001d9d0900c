import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { knownRules, start } from "../../server/src/assembly/open.ts";
import { inEmptyFolder } from "../scenario/program.ts";

/** The entries of a folder after something was done in it by a build with these rules. */
async function afterwards(folder: string, rules: readonly number[], id: string): Promise<readonly unknown[]> {
  const { client, engine } = await start(folder, { rules });
  // Refused and not recorded: it begins nothing.
  await client.execute("release-lock", { fence: "1.1", owner_id: "nobody" });
  await client.entities.create("note", id, {});
  const entries = await engine.entriesAfter(0, { entries: 10, bytes: Infinity });
  await client.close();
  return entries.map(({ operation, rules: decidedBy }) => [operation, decidedBy]);
}

describe("a journal that nobody else uses", () => {
  test(
    "begins by the newest rules that its first writer carries, without an entry about it [M3]",
    inEmptyFolder(async (folder) => {
      const newest = knownRules.at(-1);
      assert.deepEqual(await afterwards(folder, knownRules, "a"), [["create-entity", newest]]);
      assert.deepEqual(await afterwards(folder, knownRules, "b"), [
        ["create-entity", newest],
        ["create-entity", newest],
      ]);
    }),
  );

  test(
    "that began by older rules goes over to newer ones by an entry, when a build that carries them starts [M3]",
    inEmptyFolder(async (folder) => {
      assert.deepEqual(await afterwards(folder, [1], "a"), [["create-entity", 1]]);
      assert.deepEqual(await afterwards(folder, [1, 2], "b"), [
        ["create-entity", 1],
        ["raise-rules", 1],
        ["create-entity", 2],
      ]);
    }),
  );
});
