import assert from "node:assert/strict";
import { test } from "node:test";
import type { CheckPort } from "../../server/src/checks/check-port.ts";
import { ThreadedCheckRunner } from "../../server/src/checks/check-runner.ts";
import { loopTicks, ManualClock } from "../engine/manual-clock.ts";
import { startNode } from "../engine/start-node.ts";

test("a cancelled check of a thread that gets no processor ends nothing else for 20 seconds", async () => {
  const node = await startNode();
  const clock = new ManualClock();
  let usedMs = 0;
  let closed = 0;
  // A thread that takes orders and answers none, as one that the host does not schedule.
  const port: CheckPort = {
    post: () => undefined,
    usedMs: () => Promise.resolve(usedMs),
    close: () => {
      closed += 1;
      return Promise.resolve();
    },
  };
  const check = {
    ...{ name: "still/1", under: ["still/"], unit: () => "u", within: () => ["still/u"] },
    module: new URL("still:module"),
  };
  const checks = new ThreadedCheckRunner({
    ...{ checks: [check], source: node.engine, clock, openPort: () => port, report: () => undefined },
    observer: { onCheck: () => undefined, onRounds: () => undefined },
  });
  const ask = (signal: AbortSignal) =>
    checks.ask("still/1", { unit: "u", question: null, agent: null, after: 0 }, signal).then(
      () => "answered",
      (error: unknown) => (error as Error).message,
    );
  const caller = new AbortController();
  const cancelled = ask(caller.signal);
  const other = ask(new AbortController().signal);
  await loopTicks(5);
  caller.abort();
  assert.match(await cancelled, /left/u);
  await clock.pass(19_000, 250);
  assert.equal(closed, 0, "the other check still waits for its result");
  await clock.pass(2_000, 250);
  assert.match(await other, /the thread of checks ended/u);
  assert.equal(closed, 1);
  // A thread that computes is ended after 1 s of its processor time.
  const second = new AbortController();
  const busy = ask(second.signal);
  await loopTicks(5);
  second.abort();
  await busy;
  for (let step = 0; step < 6; step += 1) {
    usedMs += 250;
    await clock.pass(250, 250);
  }
  assert.equal(closed, 2);
  await checks.close();
  await node.engine.stop();
});
