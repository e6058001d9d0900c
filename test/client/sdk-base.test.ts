/** The mechanisms of `sdk/src/base/`, which client and server share. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffMs } from "../../sdk/src/base/backoff-ms.ts";
import { closestWord } from "../../sdk/src/base/closest-word.ts";
import { pause } from "../../sdk/src/base/pause.ts";
import { untilAborted } from "../../sdk/src/base/until-aborted.ts";

test("a backoff doubles from its base to its cap, and jitter chooses in its upper half", () => {
  const bounds = { baseMs: 100, capMs: 2_000 };
  const tries = [1, 2, 3, 4, 5, 6, 7, 100, 10_000];
  const whole = tries.map((tried) => backoffMs(bounds, tried));
  assert.deepEqual(whole, [100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000, 2_000]);
  assert.deepEqual(
    tries.map((tried) => backoffMs(bounds, tried, 0)),
    whole.map((ms) => ms / 2),
  );
  assert.equal(backoffMs(bounds, 1, 0.5), 75);
});

test("the closest word is found in any case, with letters missing, wrong or swapped, but not beyond that", () => {
  const known = ["purpose", "ttlSeconds", "waitMs"];
  for (const word of ["porpose", "prupose", "purpos", "PURPOSE", "purposes"])
    assert.equal(closestWord(word, known), "purpose");
  assert.equal(closestWord("ttlseconds", known), "ttlSeconds");
  assert.equal(closestWord("nothing", known), undefined);
  assert.equal(closestWord("", known), undefined);
});

/** Timers that fire when the test says. */
function manualTimers() {
  const pending = new Set<() => void>();
  return {
    pending,
    after(_delayMs: number, callback: () => void): () => void {
      pending.add(callback);
      return () => pending.delete(callback);
    },
  };
}

test("a pause ends by its timer or by its signal, and leaves neither a timer nor a listener", async () => {
  const timers = manualTimers();
  const { signal } = new AbortController();
  const byTimer = pause(timers, 10, { signal });
  for (const fire of timers.pending) fire();
  await byTimer;
  assert.equal(timers.pending.size, 0);
  const ending = new AbortController();
  const bySignal = pause(timers, 10, { signal: ending.signal });
  assert.equal(timers.pending.size, 1);
  ending.abort();
  await bySignal;
  assert.equal(timers.pending.size, 0);
  await pause(timers, 10, { signal: ending.signal });
  assert.equal(timers.pending.size, 0, "a signal that has aborted starts no timer");
});

test("an abortable wait gives the result of its work or the reason of its signal, never both", async () => {
  assert.equal(await untilAborted(undefined, Promise.resolve(1)), 1);
  assert.equal(await untilAborted(undefined, Promise.resolve(1), (number) => number + 1), 2);
  const { signal } = new AbortController();
  assert.equal(await untilAborted(signal, Promise.resolve(1), (number) => number + 1), 2);
  await assert.rejects(untilAborted(signal, Promise.reject(new Error("failed"))), /failed/u);
  const taken: number[] = [];
  const ending = new AbortController();
  const work = Promise.withResolvers<number>();
  const result = untilAborted(ending.signal, work.promise, (number) => taken.push(number));
  ending.abort(new Error("aborted by the test"));
  work.resolve(1);
  await assert.rejects(result, /aborted by the test/u);
  await assert.rejects(
    untilAborted(AbortSignal.abort("as given"), Promise.resolve(1)),
    (reason) => reason === "as given",
  );
  assert.deepEqual(taken, []);
});
