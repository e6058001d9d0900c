import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { systemIds } from "../../server/src/base/ids.ts";
import { CounterpartScopes } from "../../server/src/engine/counterpart-scope.ts";
import { Engine } from "../../server/src/engine/engine.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { Machine } from "../../server/src/machine/machine.ts";
import { leaseFeature, leases } from "./lease-feature.ts";
import { ManualClock, loopTicks } from "./manual-clock.ts";
import { singleNode, StagedJournal } from "./staged-journal.ts";

async function startLeases(disk = createMemoryDisk(), { clock = new ManualClock(), rank = 0 } = {}) {
  const journal = new StagedJournal(openMemoryJournal(disk));
  journal.coordination = {
    ...singleNode,
    takeTurn: async () => {},
    endTurn: async () => {},
    findKeysInMemory: () => undefined,
    rank: () => rank,
  };
  const engine = await Engine.start({
    journal,
    clock,
    ids: systemIds,
    createMachine: () =>
      new Machine({
        features: [leaseFeature],
        knownRules: [1],
        settings: () => ({ rules: 1, idempotencyWindowMs: 1000, stateHashEvery: 1_000_000 }),
      }),
    afterLoss: () => ({ id: "loss", operation: "expire-lease", input: { name: "none" } }),
    afterFork: () => ({ id: "fork", operation: "expire-lease", input: { name: "none" } }),
    erasures: { requestedAfter: () => [], erasedBy: () => undefined, erasedPosition: () => undefined },
    counterparts: new CounterpartScopes({ operation: "none", of: [] }),
    recordHash: () => ({ id: "hash", operation: "expire-lease", input: { name: "none" } }),
    recordedHash: () => undefined,
    report: () => undefined,
  });
  const hold = (name: string, ttlMs: number) =>
    engine.execute({ operation: "hold-lease", input: { name, ttlMs }, principal: "p", caller: "c", bytes: 0 });
  const isHeld = (name: string): Promise<boolean> => engine.read((state) => state.rows(leases).get(name) !== undefined);
  return { engine, clock, journal, hold, isHeld, disk };
}

describe("timers", () => {
  test("an entry of its own expires a due lease, once, after the grace period [M9]", async () => {
    const { engine, clock, journal, hold, isHeld } = await startLeases();
    await clock.pass(10_000);
    await hold("a", 500);
    await clock.pass(450);
    assert.equal(await isHeld("a"), true);
    await clock.pass(100);
    assert.equal(await isHeld("a"), false);
    await clock.pass(5_000);
    const expiries = journal.batches
      .flatMap(({ entries }) => entries)
      .filter(({ operation }) => operation === "expire-lease");
    assert.deepEqual(
      expiries.map(({ events, principal }) => [events[0]?.type, principal]),
      [["lease.expired", "holdfast"]],
    );
    await engine.stop();
  });

  test("no lease expires for ten seconds after a start, and holders can renew overdue leases [M9]", async () => {
    const first = await startLeases();
    await first.hold("renewed", 100);
    await first.hold("left", 100);
    await first.engine.stop();
    const { engine, clock, hold, isHeld } = await startLeases(first.disk);
    await clock.pass(9_000);
    assert.deepEqual([await isHeld("renewed"), await isHeld("left")], [true, true]);
    await hold("renewed", 60_000);
    await clock.pass(2_000);
    assert.deepEqual([await isHeld("renewed"), await isHeld("left")], [true, false]);
    await engine.stop();
  });

  test("a timer that runs in the grace period fires at its time, and its entry is marked as in the grace [M9]", async () => {
    const { engine, clock, journal, hold, isHeld } = await startLeases();
    await hold("a", 500);
    await clock.pass(950);
    const seen = () =>
      journal.batches.flatMap(({ entries }) => entries).filter(({ operation }) => operation === "see-lease");
    assert.deepEqual(seen(), []);
    await clock.pass(100);
    assert.deepEqual(
      seen().map(({ id, grace }) => [id.split(":").slice(0, 2).join(), grace]),
      [["see,a", true]],
    );
    assert.equal(await isHeld("a"), true, "the overdue lease waits for the end of the grace period");
    await clock.pass(10_000);
    assert.equal(seen().length, 1);
    assert.equal(await isHeld("a"), false);
    await engine.stop();
  });

  test("the engine does not check its timers between two due times while no lease exists", async () => {
    const { engine, clock, hold } = await startLeases();
    await clock.pass(10_000);
    await hold("a", 100);
    const leased = clock.alarmCount;
    await clock.pass(200);
    const before = clock.alarmCount;
    assert.ok(before > leased, "the expiry of the lease is an alarm");
    await clock.pass(700);
    assert.equal(clock.alarmCount, before, "the lease is to be seen after a second");
    await clock.pass(200);
    assert.ok(clock.alarmCount > before);
    await engine.stop();
  });

  test("a stall of the process restarts the grace period [M9]", async () => {
    const { engine, clock, hold, isHeld } = await startLeases();
    await clock.pass(10_000);
    await hold("a", 3_000);
    await clock.pass(1_000);
    await clock.stall(5_000);
    await clock.pass(8_000);
    assert.equal(await isHeld("a"), true, "the lease is overdue, but its holder could not reach the server");
    await clock.pass(3_000);
    assert.equal(await isHeld("a"), false);
    await engine.stop();
  });

  test("a failed append restarts the grace period [M9]", async () => {
    const { engine, clock, journal, hold, isHeld } = await startLeases();
    await clock.pass(10_000);
    await hold("a", 1_000);
    journal.failureOf = () => ({ code: "full", certain: true, isWritten: false });
    await hold("b", 1_000);
    journal.failureOf = () => undefined;
    await clock.pass(8_000);
    assert.equal(await isHeld("a"), true);
    await clock.pass(3_000);
    assert.equal(await isHeld("a"), false);
    await engine.stop();
  });

  test("a renewal that arrives together with the expiry is decided first [M9]", async () => {
    const { engine, clock, journal, hold, isHeld } = await startLeases();
    await clock.pass(10_000);
    await hold("a", 500);
    await clock.pass(450);
    const renewal = hold("a", 10_000);
    void clock.stall(100);
    await renewal;
    await loopTicks(3);
    assert.equal(await isHeld("a"), true);
    assert.ok(!journal.batches.some(({ entries }) => entries.some(({ operation }) => operation === "expire-lease")));
    await engine.stop();
  });

  test("leases follow the engine's time, which never decreases, when the wall clock jumps [M9]", async () => {
    const { engine, clock, journal, hold, isHeld } = await startLeases();
    await clock.pass(10_000);
    await hold("a", 1_000);
    clock.jumpWall(3_600_000);
    await clock.pass(500);
    assert.equal(await isHeld("a"), true);
    clock.jumpWall(-7_200_000);
    await clock.pass(600);
    assert.equal(await isHeld("a"), false);
    const times = journal.batches.flatMap(({ entries }) => entries.map(({ time }) => time));
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    );
    await engine.stop();
  });

  test("a start on a journal whose last time is in the future continues from that time [M9]", async () => {
    const first = await startLeases();
    first.clock.jumpWall(86_400_000);
    const ahead = await startLeases(first.disk);
    ahead.clock.jumpWall(0);
    await first.hold("a", 100);
    await first.engine.stop();
    await loopTicks(2);
    const reply = await ahead.hold("b", 100);
    const [entry] = await ahead.engine.entriesAt([reply.position]);
    const [earlier] = await ahead.engine.entriesAt([reply.position - 1]);
    assert.ok((entry?.time ?? 0) >= (earlier?.time ?? Infinity));
    await ahead.engine.stop();
  });

  test("one of several nodes acts on due timers, and the next one acts only if the first has stopped", async () => {
    const clock = new ManualClock();
    const first = await startLeases(createMemoryDisk(), { clock });
    const second = await startLeases(first.disk, { clock, rank: 1 });
    const expiriesBy = ({ journal }: typeof first): number =>
      journal.batches.flatMap(({ entries }) => entries).filter(({ operation }) => operation === "expire-lease").length;
    await clock.pass(10_000);
    for (const name of ["a", "b", "c"]) await second.hold(name, 500);
    await clock.pass(2_000);
    assert.deepEqual([expiriesBy(first), expiriesBy(second)], [3, 0]);
    await first.engine.stop();
    await second.hold("d", 500);
    await clock.pass(900);
    assert.equal(await second.isHeld("d"), true);
    await clock.pass(300);
    assert.equal(await second.isHeld("d"), false);
    await second.engine.stop();
  });

  test("a node expires no lease before its holder could renew, even if the clock of another node is far ahead [M9]", async () => {
    const here = await startLeases();
    await here.clock.pass(10_000);
    await here.hold("a", 5_000);
    const ahead = new ManualClock();
    ahead.jumpWall(60_000);
    const there = await startLeases(here.disk, { clock: ahead });
    await there.hold("b", 500_000);
    await here.clock.pass(1_000);
    assert.ok(here.engine.now() > 60_000, "the time of this node is lifted");
    assert.equal(await here.isHeld("a"), true);
    await here.clock.pass(8_000);
    assert.equal(await here.isHeld("a"), true);
    await here.clock.pass(2_000);
    assert.equal(await here.isHeld("a"), false);
    await here.engine.stop();
    await there.engine.stop();
  });
});
