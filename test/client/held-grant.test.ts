import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { HeldGrant, momentOf } from "../../sdk/src/client/locks/held-grant.ts";
import type { HeldFacts } from "../../sdk/src/client/locks/held-grant.ts";
import { ManualClock } from "../engine/manual-clock.ts";

const ttlMs = 6_000;

/** A grant of six seconds, asked for now. */
function grantBy(clock: ManualClock): HeldGrant {
  const clientClock = Object.assign(clock, { random: () => 0, unique: () => "id" });
  const facts: HeldFacts = {
    clock: clientClock,
    sentAt: momentOf(clientClock),
    endsAtMs: Infinity,
    patienceMs: 0,
    hear: () => undefined,
    confirm: () => undefined,
    onListeners: () => undefined,
    onOver: () => undefined,
  };
  const granted = { fence: "1.1", paths: [], ttl_seconds: ttlMs / 1_000, owner_id: "ann", left_before: [] };
  return new HeldGrant(granted, facts);
}

suite("a heartbeat that was answered", () => {
  test("within the lease renews it, from when it was sent [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    clock.advance(3_000);
    const sentAt = momentOf(clock as never);
    clock.advance(1_000);
    grant.renewByBeat(sentAt, momentOf(clock as never));
    assert.equal(grant.deadlineMs, 3_000 + ttlMs);
  });

  test("after the end of the lease renews nothing: the server may have given the lock to somebody else [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    const { deadlineMs } = grant;
    clock.advance(3_000);
    const sentAt = momentOf(clock as never);
    clock.advance(ttlMs);
    // By the wall clock, which somebody has set back, there would be time left.
    clock.jumpWall(-ttlMs);
    grant.renewByBeat(sentAt, momentOf(clock as never));
    assert.equal(grant.deadlineMs, deadlineMs);
  });

  test("by the wall clock later than the lease renews nothing: the computer slept, and the other clock with it [M9]", () => {
    const clock = new ManualClock();
    const grant = grantBy(clock);
    const { deadlineMs } = grant;
    clock.advance(3_000);
    const sentAt = momentOf(clock as never);
    clock.jumpWall(3_600_000);
    clock.advance(1_000);
    grant.renewByBeat(sentAt, momentOf(clock as never));
    assert.equal(grant.deadlineMs, deadlineMs);
  });
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
