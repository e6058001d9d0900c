import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { spawnChildSync } from "../scenario/spawn-child.ts";
import { filesOfGuide } from "./files-of-guide.ts";
import { treeWithPack, typeErrors } from "./tree-with-pack.ts";
import type { TreeWithPack } from "./tree-with-pack.ts";

const guide = "docs/guides/add-a-pack.md";
const files = filesOfGuide(guide);
const root = join(import.meta.dirname, "..", "..");
let tree: TreeWithPack;

before(() => {
  tree = treeWithPack(files);
});
after(() => {
  rmSync(tree.folder, { recursive: true, force: true });
});

test("the pack of the guide changes exactly two existing files", () => {
  assert.equal(files.size, 7, "the guide has seven files");
  assert.deepEqual([...tree.changed].sort(), ["sdk/src/contract/packs/packs.ts", "server/src/app/packs/all-packs.ts"]);
});

test("the files of the guide keep every other pack in both lists", () => {
  for (const file of tree.changed) {
    const uses = (code: string): readonly string[] => code.match(/\b[a-z]+(?:Pack|Rules)?\b(?=[\],)(])/gu) ?? [];
    const kept = new Set(uses(files.get(file) ?? ""));
    const lost = uses(readFileSync(join(root, file), "utf8")).filter((name) => !kept.has(name));
    assert.deepEqual(lost, [], file);
  }
});

test("the files of the guide have no type error in a copy of the project", () => {
  assert.deepEqual(typeErrors(tree.folder, [...files.keys()]), []);
});

test("the pack of the guide runs in a copy of the project, through every door", () => {
  const run = (file: string) => spawnChildSync(process.execPath, [file], { cwd: tree.folder, encoding: "utf8" });
  const data = run(join(tree.folder, "tools/make-client-data.ts"));
  assert.equal(data.status, 0, data.stderr);
  const { status, stdout, stderr } = run(join(tree.folder, "test/ground/pack-in-copy.ts"));
  assert.equal(status, 0, `${stdout}\n${stderr}`);
});
