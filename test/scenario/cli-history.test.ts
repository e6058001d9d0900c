/** `holdfast get` and `holdfast history`: an entity at any version and position. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import { refusalOf } from "../api/refused-with.ts";
import { runHere } from "./cli-terminal.ts";
import { jsonLines } from "./holdfast-command.ts";
import { inEmptyFolder } from "./program.ts";

/** 1 created, 2 another one, 3 merged, 4 conflict, 5 patched, 6 deleted, 7 created again. */
async function fill(data: string): Promise<void> {
  const { entities, close } = await open(data);
  await entities.create("note", "a/b", { text: "one" });
  await entities.create("note", "other", {});
  await entities.patch("note", "a/b", { merge: { text: "two" } });
  await assert.rejects(entities.replace("note", "a/b", {}, { expectedVersion: 1 }));
  await entities.patch("note", "a/b", { patch: [{ op: "add", path: "/n", value: 1 }] });
  await entities.delete("note", "a/b");
  await entities.create("note", "a/b", { text: "new" });
  await close();
}

test(
  "get shows an entity at each version and after each position, equal to the result of the client [X9]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    await fill(data);
    const get = async (options: string) => jsonLines(await runHere(folder, `get note/a/b --json ${options}`))[0];
    const values = { 1: { text: "one" }, 2: { text: "two" }, 3: { text: "two", n: 1 }, 5: { text: "new" } };
    const client = await open(data);
    const note = { type: "note", id: "a/b" };
    for (const [version, value] of Object.entries(values)) {
      const found = await get(`--version ${version}`);
      assert.deepEqual(found?.["value"], value);
      assert.deepEqual(found, await client.run("get-entity", { ...note, version: Number(version) }));
    }
    const versionAt = { 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 7: 5 };
    for (const [position, version] of Object.entries(versionAt)) {
      const found = await get(`--at ${position}`);
      assert.equal(found?.["version"], version);
      assert.deepEqual(found, await client.run("get-entity", { ...note, position: Number(position) }));
    }
    assert.deepEqual(await get(""), await client.run("get-entity", note));
    await client.close();
  }),
);

for (const [line, code] of [
  ["get note/a/b --at 6", "entity_deleted"],
  ["get note/a/b --version 4", "entity_deleted"],
  ["get note/a/b --version 9", "version_not_found"],
  ["get note/a/b --at 99", "entry_not_found"],
  ["get note/none", "entity_not_found"],
  ["get note/other --at 1", "entity_not_found"],
  ["history note/none", "entity_not_found"],
] as const) {
  test(
    `"holdfast ${line}" is refused with the code ${code}`,
    inEmptyFolder(async (folder) => {
      await fill(join(folder, ".holdfast"));
      const text = await runHere(folder, line);
      assert.equal(text.code, 7, text.errors);
      assert.ok(text.errors.includes(`(${code})`), text.errors);
      const json = await runHere(folder, `${line} --json`);
      assert.deepEqual([json.code, jsonLines(json)[0]?.["code"]], [7, code]);
    }),
  );
}

test(
  "get at a position before the creation says when the entity was created, in a folder and in a program [X9]",
  inEmptyFolder(async (folder) => {
    const data = join(folder, ".holdfast");
    await fill(data);
    const { errors } = await runHere(folder, "get note/other --at 1");
    assert.match(errors, /it did not exist at position 1; it was created at position 2/u);
    const client = await open(data);
    const asked = client.run("get-entity", { type: "note", id: "other", position: 1 });
    const { data: refused } = await refusalOf(asked);
    assert.equal(refused["reason"], "it did not exist at position 1; it was created at position 2");
    await client.close();
  }),
);

test(
  "history shows events, newest first, including conflicts, up to a version or a position [X9]",
  inEmptyFolder(async (folder) => {
    await fill(join(folder, ".holdfast"));
    const history = async (options: string) =>
      jsonLines(await runHere(folder, `history note/a/b --json ${options}`)).map(({ position, event }) => [
        position,
        event,
      ]);
    assert.deepEqual(await history(""), [
      [7, "evt.note.created"],
      [6, "evt.note.deleted"],
      [5, "evt.note.changed"],
      [4, "evt.note.conflict"],
      [3, "evt.note.changed"],
      [1, "evt.note.created"],
    ]);
    assert.deepEqual(await history("--at 4 --limit 2"), [
      [4, "evt.note.conflict"],
      [3, "evt.note.changed"],
    ]);
    assert.deepEqual(await history("--version 1"), [[1, "evt.note.created"]]);
    const { lines } = await runHere(folder, "history note/a/b --limit 1");
    assert.match(lines.join("\n"), /^ +7 {2}\S+Z {2}local {2}evt\.note\.created {2}version 5$/);
  }),
);
