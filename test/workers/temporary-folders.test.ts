/** The temporary folders of workers whose process was killed, or ended before its job. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { removeOrphanedFolders, temporaryFolder } from "../../server/src/workers/workspace/temporary-folder.ts";
import { spawnChild } from "../scenario/spawn-child.ts";
import { folderFor } from "../socket/with-server.ts";

const module = new URL("../../server/src/workers/workspace/temporary-folder.ts", import.meta.url).href;
const program = `
  import { writeFileSync } from "node:fs";
  const { temporaryFolder } = await import(${JSON.stringify(module)});
  const { path } = await temporaryFolder();
  writeFileSync(path + "/image", "bytes");
  console.log(path);
  process.stdin.resume().once("end", () => process.exit());
`;

test("a worker removes the temporary folders of killed processes at its start, and no folder of a running one", async (t) => {
  const folder = await folderFor(t);
  const start = () => {
    const args = ["--input-type=module", "--eval", program];
    const child = spawnChild(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], env: { TMPDIR: folder } });
    t.after(() => child.kill("SIGKILL"));
    const made = once(createInterface({ input: child.stdout }), "line");
    return { child, made, ended: once(child, "exit") };
  };
  // Node keeps a cache there too.
  const folders = async () => (await readdir(folder)).filter((name) => name.startsWith("holdfast-work-"));
  const [killed, running, exiting] = [start(), start(), start()];
  await using own = await temporaryFolder(folder);
  await Promise.all([killed.made, running.made, exiting.made]);
  exiting.child.stdin.end();
  await exiting.ended;
  assert.equal((await folders()).length, 3, "a process that exits removes its folder");
  killed.child.kill("SIGKILL");
  await killed.ended;
  assert.equal((await folders()).length, 3);
  assert.equal(await removeOrphanedFolders(folder), 1);
  const left = await folders();
  const expected = [own.path, String((await running.made)[0])].map((path) => path.slice(folder.length + 1));
  assert.deepEqual(left.sort(), expected.sort());
});
