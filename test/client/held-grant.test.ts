import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { HeldGrant, clockPoint } from "../../sdk/src/client/locks/handle/held-grant.ts";
import type { GrantEvents } from "../../sdk/src/client/locks/handle/held-grant.ts";
import { ManualClock } from "../engine/manual-clock.ts";

const ttlMs = 6_000;

/** A grant of six seconds, requested at the current time. */
function grantBy(clock: ManualClock, more: Partial<GrantEvents> = {}): HeldGrant {
  const clientClock = Object.assign(clock, { random: () => 0, unique: () => "id" });
  const grantEvents: GrantEvents = {
    clock: clientClock,
    sentAt: clockPoint(clientClock),
    endsAtMs: Infinity,
    uncertainMaxMs: 0,
    applyBeats: () => undefined,
    confirm: () => undefined,
    onListeners: () => undefined,
    onOver: () => undefined,
    ...more,
  };
  const lease = { acquiredAt: new Date(0).toISOString(), ttlMs };
  const granted = { fence: "1.1", paths: [], ...lease, ownerId: "ann", leftBefore: [] };
  return new HeldGrant(granted, grantEvents);
}

suite("answered heartbeats", () => {
  test("a heartbeat that is answered within the lease renews it from the time it was sent [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    clock.advance(3_000);
    const sentAt = clockPoint(clock as never);
    clock.advance(1_000);
    grant.renewByBeat(sentAt, clockPoint(clock as never));
    assert.equal(grant.deadlineMs, 3_000 + ttlMs);
  });

  test("a heartbeat that is answered after the lease renews nothing, because the server may have granted the lock again [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    const { deadlineMs } = grant;
    clock.advance(3_000);
    const sentAt = clockPoint(clock as never);
    clock.advance(ttlMs);
    // By the wall clock, which was set back, there would be time left.
    clock.jumpWall(-ttlMs);
    grant.renewByBeat(sentAt, clockPoint(clock as never));
    assert.equal(grant.deadlineMs, deadlineMs);
  });

  test("a heartbeat that is late by the wall clock renews nothing, because the computer and its other clock slept [M9]", () => {
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

test("the maximum hold ends by the clock that reaches it first, because a computer may sleep for a part of it [M9]", () => {
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
  assert.equal(grant.state, "uncertain", "it may be a tie, because the server started to count later");
  clock.advance(1_000);
  grant.renew(clockPoint(clock as never));
  assert.equal(grant.state, "held", "the renewal proves that the wall clock was set");
  clock.advance(3_000);
  assert.equal(grant.state, "lost");
});

suite("leases of another length", () => {
  test("a shorter lease counts from before its request, because the reply may be lost [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    grant.leaseRequested(2_000, clockPoint(clock as never));
    assert.equal(grant.deadlineMs, 2_000);
    clock.advance(1_000);
    grant.renewByBeat(clockPoint(clock as never), clockPoint(clock as never));
    assert.equal(grant.deadlineMs, 3_000, "a heartbeat renews only the shorter lease");
  });

  test("a shorter lease that is requested late keeps the earlier end [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    clock.advance(5_000);
    const sentAt = clockPoint(clock as never);
    const answered = grant.leaseRequested(2_000, sentAt);
    assert.equal(grant.deadlineMs, ttlMs);
    grant.renew(sentAt, 2_000);
    answered();
    assert.equal(grant.deadlineMs, 7_000);
  });

  for (const [first, second] of [
    [2_000, 60_000],
    [60_000, 2_000],
  ] as const) {
    test(`a lease of ${first} ms that is requested together with one of ${second} ms counts as the shorter one [M9]`, () => {
      const clock = new ManualClock();
      const grant = grantBy(clock);
      const asked = [first, second].map((leaseMs) => {
        clock.advance(10);
        const sentAt = clockPoint(clock as never);
        return { leaseMs, sentAt, answered: grant.leaseRequested(leaseMs, sentAt) };
      });
      for (const { leaseMs, sentAt, answered } of asked) {
        clock.advance(10);
        grant.renew(sentAt, leaseMs);
        answered();
      }
      assert.equal(grant.ttlMs, 2_000);
      const sentAt = clockPoint(clock as never);
      grant.renew(sentAt, 60_000);
      assert.equal(grant.deadlineMs, sentAt.monotonicMs + 60_000, "a later request settles the length");
    });
  }
});

test("a listener that throws does not affect the other listeners, and its error is reported separately", () => {
  const clock = new ManualClock();
  const later: (() => void)[] = [];
  clock.soon = (callback) => later.push(callback);
  const grant = grantBy(clock);
  const states: string[] = [];
  grant.onState(() => {
    throw new Error("error of a listener");
  });
  grant.onState((state) => states.push(state));
  grant.end();
  assert.deepEqual([grant.state, states], ["over", ["released"]]);
  assert.equal(later.length, 1);
  assert.throws(() => later[0]?.(), /error of a listener/u);
});
