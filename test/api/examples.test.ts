import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { serve } from "../../server/src/assembly/serve.ts";
import type { RunningServer } from "../../server/src/assembly/serve.ts";
import { execChild } from "../scenario/spawn-child.ts";

const folder = join(import.meta.dirname, "../../examples/typescript");
let data: string;
let server: RunningServer;

before(async () => {
  data = await mkdtemp(join(tmpdir(), "holdfast-"));
  server = await serve({ data, host: "127.0.0.1", port: 0 });
});

after(async () => {
  await server.close();
  await rm(data, { recursive: true });
});

async function outputOf(program: string): Promise<readonly string[]> {
  const env = { HOLDFAST_URL: server.url };
  const { stdout } = await execChild(process.execPath, [join(folder, program)], { env });
  return stdout.trimEnd().split("\n");
}

test("the worker pool example runs every task exactly once", async () => {
  const lines = await outputOf("worker-pool.ts");
  assert.equal(lines.at(-1), "4 of 4 tasks are done");
  const tasks = lines.slice(0, -1).map((line) => line.replace(/^(ann|bob|cleo|dan) finished /u, ""));
  assert.deepEqual(tasks.toSorted(), ["index", "publish", "resize", "translate"]);
});

test("the optimistic edit example keeps the line of every writer", async () => {
  assert.deepEqual(await outputOf("optimistic-edit.ts"), ["version 10 has 10 lines"]);
});

test("the follower example continues after its restart without a gap and without a repeat", async () => {
  assert.deepEqual(await outputOf("follow-events.ts"), [
    "evt.order.created",
    "the follower restarts",
    "evt.order.changed",
    "evt.order.deleted",
  ]);
});
