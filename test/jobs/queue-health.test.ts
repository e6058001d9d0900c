import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "holdfast";
import { terminalWidth } from "../../server/src/doors/cli/terminal/terminal-width.ts";
import { serverFor } from "../socket/with-server.ts";

test("/health shows workers, running, ready and failed jobs, and the age of the oldest ready job", async (t) => {
  const { url } = await serverFor(t);
  await using client = await connect(url);
  const health = async (): Promise<Record<string, unknown>> => {
    const response = await fetch(`${url}/health`);
    assert.equal(response.status, 200);
    return ((await response.json()) as { jobs: Record<string, unknown> }).jobs;
  };
  assert.deepEqual(await health(), { workers: 0, running: 0, ready: 0, failed: 0, oldest_ready_ms: null });
  for (const id of ["j1", "j2"]) await client.jobs.submit("mail", null, { id, maxAttempts: 1 });
  const { oldest_ready_ms: age, ...counts } = await health();
  assert.deepEqual(counts, { workers: 0, running: 0, ready: 2, failed: 0 });
  assert.ok(typeof age === "number" && age >= 0);
  const started = Promise.withResolvers<undefined>();
  const ended = Promise.withResolvers<undefined>();
  const worker = await client.jobs.work("mail", async ({ id }) => {
    if (id === "j1") throw new Error("down");
    started.resolve(undefined);
    await ended.promise;
  });
  await started.promise;
  assert.deepEqual(await health(), { workers: 1, running: 1, ready: 0, failed: 1, oldest_ready_ms: null });
  ended.resolve(undefined);
  await worker.drain();
  assert.deepEqual(await health(), { workers: 0, running: 0, ready: 0, failed: 1, oldest_ready_ms: null });
});

test("a terminal that reports no size shows whole progress bars", () => {
  assert.equal(terminalWidth({ isTTY: true, columns: 0 }), 80);
  assert.equal(terminalWidth({ isTTY: true, columns: 42 }), 42);
  assert.equal(terminalWidth({}), 120);
});
