/** Publishers that die by SIGKILL at a call of a real disk. */
import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { open } from "holdfast";
import { counts } from "../prove/counts.ts";
import { inEmptyFolder, startProgram } from "../scenario/program.ts";

/** Calls of the disk from the third publish on: one in each step, then at any point of later ones. */
const calls = [...[3, 9, 12], ...Array.from({ length: 97 }, (_, index) => (index * 37) % 60)];

test(
  "a publisher that is killed at a step leaves whole versions and nothing else, after the next start [W6]",
  { timeout: 600_000 },
  inEmptyFolder(async (folder) => {
    for (const [round, call] of calls.slice(0, counts.publishKills).entries()) {
      const data = join(folder, String(round));
      const child = startProgram(join(import.meta.dirname, "kill-child.ts"), [data, String(call)]);
      const { signal, lines, errors } = await child.ended;
      assert.equal(signal, "SIGKILL", errors);
      const acknowledged = lines.filter((line) => line.startsWith("published")).length;
      await using client = await open(data);
      const { items } = await client.files.listVersions("site/docs");
      const newest = items[0]?.version ?? 0;
      assert.ok(newest >= acknowledged, `version ${String(newest)} of ${String(acknowledged)}, call ${String(call)}`);
      for (const { version } of items) {
        const text = Buffer.from(await client.files.read("site/docs", "a.txt", { version })).toString();
        assert.equal(text, `version ${String(version)}`);
        assert.equal((await client.files.read("site/docs", "sub/b.txt", { version })).byteLength, version * 1_000);
      }
      assert.deepEqual((await client.files.listPublishes()).items, []);
      // The lock of the killed publisher lasts until its lease ends, so another target is published.
      await using publish = await client.files.publish("site/other");
      await publish.write("a.txt", "after the crash");
      assert.equal((await publish.commit()).version, 1);
      const target = join(data, "files", "site", "docs");
      const names = await readdir(target);
      // The start removes a staging folder in which it finds only empty folders. The next publish makes it again.
      const staged = names.includes("tmp") ? await readdir(join(target, "tmp")) : [];
      assert.deepEqual(staged, [], `call ${String(call)}`);
      assert.equal(names.filter((name) => name.startsWith("v.")).length, newest, `call ${String(call)}`);
    }
  }),
);
