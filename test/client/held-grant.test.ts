import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { HeldGrant, clockPoint } from "../../sdk/src/client/locks/handle/held-grant.ts";
import type { GrantEvents } from "../../sdk/src/client/locks/handle/held-grant.ts";
import { ManualClock } from "../engine/manual-clock.ts";

const ttlMs = 6_000;

/** A grant of six seconds, asked for now. */
function grantBy(clock: ManualClock, more: Partial<GrantEvents> = {}): HeldGrant {
  const clientClock = Object.assign(clock, { random: () => 0, unique: () => "id" });
  const facts: GrantEvents = {
    clock: clientClock,
    sentAt: clockPoint(clientClock),
    endsAtMs: Infinity,
    patienceMs: 0,
    hear: () => undefined,
    confirm: () => undefined,
    onListeners: () => undefined,
    onOver: () => undefined,
    ...more,
  };
  const lease = { acquired_at: new Date(0).toISOString(), ttl_seconds: ttlMs / 1_000 };
  const granted = { fence: "1.1", paths: [], ...lease, owner_id: "ann", left_before: [] };
  return new HeldGrant(granted, facts);
}

suite("a heartbeat that was answered", () => {
  test("within the lease renews it, from when it was sent [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    clock.advance(3_000);
    const sentAt = clockPoint(clock as never);
    clock.advance(1_000);
    grant.renewByBeat(sentAt, clockPoint(clock as never));
    assert.equal(grant.deadlineMs, 3_000 + ttlMs);
  });

  test("after the end of the lease renews nothing: the server may have given the lock to somebody else [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    const { deadlineMs } = grant;
    clock.advance(3_000);
    const sentAt = clockPoint(clock as never);
    clock.advance(ttlMs);
    // By the wall clock, which somebody has set back, there would be time left.
    clock.jumpWall(-ttlMs);
    grant.renewByBeat(sentAt, clockPoint(clock as never));
    assert.equal(grant.deadlineMs, deadlineMs);
  });

  test("by the wall clock later than the lease renews nothing: the computer slept, and the other clock with it [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    const { deadlineMs } = grant;
    clock.advance(3_000);
    const sentAt = clockPoint(clock as never);
    clock.jumpWall(3_600_000);
    clock.advance(1_000);
    grant.renewByBeat(sentAt, clockPoint(clock as never));
    assert.equal(grant.deadlineMs, deadlineMs);
  });
});

test("the longest hold ends by the clock that sees it first: a computer may have slept for a part of it [M9]", () => {
  const clock = new ManualClock();
  const grant = grantBy(clock, { endsAtMs: 20_000 });
  clock.jumpWall(4_000);
  for (let passed = 4_000; passed < 20_000; passed += 1_000) {
    assert.equal(grant.state, "held", `after ${passed} ms`);
    clock.advance(1_000);
    grant.renewByBeat(clockPoint(clock as never), clockPoint(clock as never));
  }
  assert.equal(grant.state, "uncertain");
  grant.renew(clockPoint(clock as never));
  assert.equal(grant.state, "uncertain", "it may be a tie: the server has begun to count later");
  clock.advance(1_000);
  grant.renew(clockPoint(clock as never));
  assert.equal(grant.state, "held", "still, so that it was the wall clock that was set");
  clock.advance(3_000);
  assert.equal(grant.state, "lost");
});

suite("a lease of another length", () => {
  test("that is shorter counts from before it is asked for: the answer may get lost [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    grant.asking(2_000, clockPoint(clock as never));
    assert.equal(grant.deadlineMs, 2_000);
    clock.advance(1_000);
    grant.renewByBeat(clockPoint(clock as never), clockPoint(clock as never));
    assert.equal(grant.deadlineMs, 3_000, "a heartbeat renews it by no more");
  });

  test("that is asked for late leaves the end where it was, if that is earlier [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    clock.advance(5_000);
    const sentAt = clockPoint(clock as never);
    const answered = grant.asking(2_000, sentAt);
    assert.equal(grant.deadlineMs, ttlMs);
    grant.renew(sentAt, 2_000);
    answered();
    assert.equal(grant.deadlineMs, 7_000);
  });

  for (const [first, second] of [
    [2_000, 60_000],
    [60_000, 2_000],
  ] as const) {
    test(`of ${first} ms, asked for together with one of ${second} ms: the shorter counts, whichever the server had last [M9]`, () => {
      const clock = new ManualClock();
      const grant = grantBy(clock);
      const asked = [first, second].map((leaseMs) => {
        clock.advance(10);
        const sentAt = clockPoint(clock as never);
        return { leaseMs, sentAt, answered: grant.asking(leaseMs, sentAt) };
      });
      for (const { leaseMs, sentAt, answered } of asked) {
        clock.advance(10);
        grant.renew(sentAt, leaseMs);
        answered();
      }
      assert.equal(grant.ttlMs, 2_000);
      const sentAt = clockPoint(clock as never);
      grant.renew(sentAt, 60_000);
      assert.equal(grant.deadlineMs, sentAt.monotonicMs + 60_000, "and what is asked later says which it was");
    });
  }
});

test("a listener that throws keeps no other from hearing it, and its error comes up by itself", () => {
  const clock = new ManualClock();
  const later: (() => void)[] = [];
  clock.soon = (callback) => later.push(callback);
  const grant = grantBy(clock);
  const told: string[] = [];
  grant.onState(() => {
    throw new Error("the program's own");
  });
  grant.onState((state) => told.push(state));
  grant.end();
  assert.deepEqual([grant.state, told], ["over", ["released"]]);
  assert.equal(later.length, 1);
  assert.throws(() => later[0]?.(), /the program's own/u);
});
