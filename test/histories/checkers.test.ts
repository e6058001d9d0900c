/** Tests of the checkers: each must find its kind of error in a made-up history. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JournalItem } from "holdfast";
import { BrokenHistory } from "./history-call.ts";
import type { HistoryAnswer, HistoryCall, HistoryRequest } from "./history-call.ts";
import { GuardedCounter } from "./guarded-counter.ts";
import { checkLinearizable } from "./linearizable.ts";
import { checkReplay } from "./replay.ts";
import { initialState, statesAfter } from "./subject-model.ts";

const subject = "hot/1";
const model = { start: initialState, after: statesAfter };

/** One call from a moment to another. */
function call(
  request: HistoryRequest,
  [begin, end]: readonly [number, number],
  answer?: Omit<HistoryAnswer, "position">,
): HistoryCall {
  const answered = answer === undefined ? {} : { answer: { position: 1, ...answer } };
  return { client: 1, request, begin, end, ...answered };
}

const read = (when: readonly [number, number], version: number, number: number): HistoryCall =>
  call({ kind: "read", subject }, when, { code: "done", version, number });
const write = (when: readonly [number, number], number: number, version?: number, expected?: number): HistoryCall =>
  call(
    { kind: "write", subject, number, ...defined({ expected }) },
    when,
    version === undefined ? undefined : { code: "done", version },
  );
const acquire = (when: readonly [number, number], owner: string, fence?: string): HistoryCall =>
  call(
    { kind: "acquire", subject, owner, ttlMs: 100 },
    when,
    fence === undefined ? { code: "lock_denied" } : { code: "done", fence },
  );

const isExplained = (...calls: readonly HistoryCall[]): boolean =>
  checkLinearizable(calls, model).unexplained === undefined;

test("the linearizability checker finds an order of overlapping calls", () => {
  assert.ok(isExplained(write([0, 10], 7, 2), read([1, 3], 1, 0), read([4, 9], 2, 7)));
  assert.ok(isExplained(write([0, 10], 7, 3, 2), write([1, 9], 8, 2, 1), read([11, 12], 3, 7)));
});

test("the linearizability checker finds a read that is older than a write acknowledged before it", () => {
  assert.equal(isExplained(write([0, 1], 7, 2), read([2, 3], 1, 0)), false);
  assert.equal(isExplained(write([0, 9], 7, 2), read([1, 2], 2, 7), read([3, 4], 1, 0)), false);
});

test("the linearizability checker finds two successful writes that expected the same version", () => {
  assert.equal(isExplained(write([0, 5], 7, 2, 1), write([0, 5], 8, 2, 1)), false);
});

test("the linearizability checker lets a write without an answer happen at any time, or never", () => {
  const lost = write([0, Infinity], 7);
  assert.ok(isExplained(lost, read([10, 11], 1, 0)));
  assert.ok(isExplained(lost, read([10, 11], 1, 0), read([12, 13], 2, 7)));
  assert.equal(isExplained(lost, read([10, 11], 2, 7), read([12, 13], 1, 0)), false);
});

test("the linearizability checker finds two holders, and a fence that does not rise", () => {
  assert.equal(isExplained(acquire([0, 1], "ann", "1.5"), acquire([2, 3], "bob", "1.6")), false);
  assert.ok(isExplained(acquire([0, 1], "ann", "1.5"), acquire([101, 102], "bob", "1.6")), "the lease was over");
  assert.equal(isExplained(acquire([0, 1], "ann", "1.5"), acquire([101, 102], "bob", "1.5")), false);
});

test("the linearizability checker finds a denial without a holder, and a write under a lost lock", () => {
  assert.equal(isExplained(acquire([0, 1], "ann")), false);
  const late: HistoryRequest = { kind: "write", subject, number: 7, fence: "1.5" };
  const lost = [acquire([0, 1], "ann", "1.5"), acquire([150, 151], "bob", "1.6")];
  assert.equal(isExplained(...lost, call(late, [152, 153], { code: "done", version: 2 })), false);
  assert.ok(isExplained(...lost, call(late, [152, 153], { code: "fence_stale" })));
});

const abandoned = (when: readonly [number, number], answer: Omit<HistoryAnswer, "position">): HistoryCall => ({
  ...call({ kind: "acquire", subject, owner: "ann", ttlMs: 100, isAbandoned: true }, when, answer),
  key: "k",
});
const withdrawn = (when: readonly [number, number], found: string, hasReleased = false): HistoryCall =>
  call({ kind: "withdraw", subject, owner: "ann", acquire: "k" }, when, { code: "done", found, hasReleased });

test("the linearizability checker explains an acquire that is withdrawn before or after it arrives", () => {
  const granted = { code: "done", fence: "1.5" };
  const late = { code: "request_withdrawn" };
  assert.ok(isExplained(abandoned([0, 1], granted), withdrawn([2, 3], "granted", true), acquire([4, 5], "bob", "1.6")));
  assert.ok(isExplained(withdrawn([0, 1], "none"), abandoned([2, 3], late), acquire([4, 5], "bob", "1.6")));
  assert.ok(isExplained(abandoned([0, 9], late), withdrawn([1, 2], "granted", true)), "the first answer was lost");
  assert.ok(
    isExplained(acquire([0, 1], "bob", "1.4"), abandoned([2, 3], { code: "lock_denied" }), withdrawn([4, 5], "ended")),
  );
});

test("the linearizability checker finds a withdrawn lock that is kept, a shared one that is lost, and a late grant", () => {
  const granted = { code: "done", fence: "1.5" };
  assert.equal(isExplained(abandoned([0, 1], granted), withdrawn([2, 3], "ended")), false);
  assert.equal(isExplained(abandoned([0, 1], granted), withdrawn([2, 3], "granted", false)), false);
  const shared = [{ ...acquire([0, 1], "ann", "1.5"), key: "j" }, abandoned([2, 3], granted)];
  assert.ok(isExplained(...shared, withdrawn([4, 5], "granted", false)));
  assert.equal(isExplained(...shared, withdrawn([4, 5], "granted", true)), false);
  assert.equal(isExplained(withdrawn([0, 1], "none"), abandoned([2, 3], granted)), false);
});

function entry(position: number, event: object, more: Partial<JournalItem> = {}): JournalItem {
  const published = { name: "", subject, ...event } as JournalItem["events"][number];
  const outcome = { kind: "done", data: {} } as const;
  const time = new Date(position).toISOString();
  const base = { position, time, id: "", rules: 1, operation: "patch-entity", principal: "", input: {} };
  return { ...base, outcome, events: [published], ...more };
}
const changed = (position: number, version: number, number: number): JournalItem =>
  entry(position, { type: "entity.merged", data: { version, merge: { number } } }, { input: { merge: { number } } });
const held = (position: number, owner: string, fence: string): JournalItem =>
  entry(position, { type: "lock.acquired", data: { resource_id: subject, owner_id: owner, fence } });

function replayBreaks(calls: readonly HistoryCall[], journal: readonly JournalItem[], promise: RegExp): void {
  assert.throws(
    () => checkReplay(calls, journal, [subject]),
    (error: unknown) => error instanceof BrokenHistory && promise.test(error.message),
  );
}

const at = (position: number, recorded: HistoryCall): HistoryCall => ({
  ...recorded,
  ...(recorded.answer !== undefined && { answer: { ...recorded.answer, position } }),
});

test("the replay checker accepts a correct history", () => {
  const calls = [at(1, write([0, 1], 7, 2)), at(1, read([2, 3], 2, 7))];
  assert.equal(checkReplay(calls, [changed(1, 2, 7)], [subject]).answersChecked, 2);
});

test("the replay checker finds an acknowledged call that is missing, happened twice or is at another position", () => {
  const acknowledged = at(2, write([0, 1], 7, 2));
  replayBreaks([acknowledged], [changed(1, 2, 5)], /is in the journal/);
  replayBreaks([at(1, acknowledged)], [changed(1, 2, 7), changed(2, 3, 7)], /happens twice/);
  replayBreaks([acknowledged], [changed(1, 2, 7), changed(2, 3, 9)], /matches its entry/);
});

test("the replay checker finds a gap in versions or positions, and a wrong read", () => {
  replayBreaks([], [changed(1, 3, 7)], /versions have no gap/);
  replayBreaks([], [changed(1, 2, 7), changed(3, 3, 8)], /positions have no gap/);
  replayBreaks([at(1, read([0, 1], 1, 0))], [changed(1, 2, 7)], /a read reports/);
});

test("the replay checker finds two holders, a fence that does not rise, and a lease that ends early", () => {
  replayBreaks([], [held(1, "ann", "1.1"), held(2, "bob", "1.2")], /one holder/);
  const freed = entry(2, { type: "lock.released", data: { resource_id: subject, fence: "1.1" } });
  replayBreaks([], [held(1, "ann", "1.1"), freed, held(3, "bob", "1.1")], /fences always increase/);
  const request: HistoryRequest = { kind: "acquire", subject, owner: "ann", ttlMs: 100 };
  const asked: HistoryCall = {
    client: 1,
    request,
    key: "k",
    begin: 0,
    end: 1,
    answer: { code: "done", position: 1, fence: "1.1" },
  };
  const data = { resource_id: subject, owner_id: "ann", fence: "1.1", expires_at: new Date(100).toISOString() };
  const leased = entry(1, { type: "lock.acquired", data }, { key: "k" });
  const early = entry(
    2,
    { type: "lock.expired", data: { resource_id: subject, fence: "1.1" } },
    { time: new Date(99).toISOString() },
  );
  replayBreaks([asked], [leased, early], /before its time/);
});

test("the replay checker finds a request that happens after its withdrawal, and one that was never withdrawn", () => {
  const gone = entry(1, { type: "other", data: {} }, { key: "acquire-lock k" });
  const late = entry(2, { type: "other", data: {} }, { key: "k" });
  const calls = [at(1, withdrawn([0, 1], "none")), at(1, abandoned([2, 3], { code: "request_withdrawn" }))];
  assert.equal(checkReplay(calls, [gone], [subject]).withdrawals, 1);
  replayBreaks(calls, [gone, late], /never happens/);
  replayBreaks(calls.slice(1), [entry(1, { type: "other", data: {} })], /has its withdrawal/);
});

test("the replay checker finds an answer that is older than a call that had ended before it", () => {
  replayBreaks(
    [at(2, write([0, 1], 7, 3)), at(1, read([2, 3], 2, 5))],
    [changed(1, 2, 5), changed(2, 3, 7)],
    /comes after it/,
  );
});

test("the guarded counter refuses an older fence, and finds a lost write", () => {
  const counter = new GuardedCounter();
  assert.equal(counter.read("1.5"), 0);
  assert.equal(counter.read("1.9"), 0);
  assert.equal(counter.write("1.5", 1), false, "a client with a later fence has read");
  assert.equal(counter.write("1.9", 1), true);
  assert.throws(() => counter.write("1.9", 1), BrokenHistory);
});
