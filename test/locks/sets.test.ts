import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { featuresOf, knownRules } from "../../server/src/assembly/open.ts";
import { machineSettings } from "../../server/src/features/space/space.ts";
import { grantTable } from "../../server/src/features/locks/tables/lock-tables.ts";
import type { PathLock } from "../../server/src/features/locks/tables/modes.ts";
import { Machine } from "../../server/src/machine/machine.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { Decider, eventLines } from "./decider.ts";
import type { DecisionResult } from "./decider.ts";
import { LockWatch } from "../simulation/lock-watch.ts";
import { errandFeature, errandOwner } from "./errand-feature.ts";

const features = [...featuresOf([]), errandFeature];
const machine = (): Machine => new Machine({ features, knownRules, settings: machineSettings });

const write = (path: string): PathLock => ({ path, mode: "write", scope: "tree" });

class Errands extends Decider {
  constructor() {
    super(machine());
  }

  start(id: string, keeper: string, paths: string, more: JsonObject = {}): DecisionResult {
    return this.decide("start-errand", { id, keeper, paths: paths.split(" ").map(write), ...more } as never);
  }

  /** A decision that is rolled back leaves the state as it was. */
  override decide(...command: Parameters<Decider["decide"]>): DecisionResult {
    const [operation, input, principal = "p", agent] = command;
    const before = [...this.machine.dump()];
    const speaker = agent === undefined ? { principal } : { principal, agent };
    const place = { position: this.entries.length + 1, time: this.time, grace: false, prior: undefined };
    this.machine.decide({ id: `command-${place.position}`, operation, ...speaker, input }, place);
    this.machine.undo();
    assert.deepEqual([...this.machine.dump()], before, `${operation} is not rolled back`);
    return super.decide(...command);
  }

  ask(agent: string, path: string, fence?: string): readonly unknown[] {
    const input = fence === undefined ? { path } : { path, fence };
    const { held, blocked_by: by } = this.decide("ask-errand", input, "p", agent).data;
    return [held, by];
  }

  beat(...ids: readonly string[]): DecisionResult {
    return this.decide("renew-agents", { beats: ids }, "holdfast");
  }
}

describe("locks of features", () => {
  test("a set is granted whole in one entry with one fence, or denied with the blockers and nothing granted [W9 G3]", () => {
    const errands = new Errands();
    const worker = errands.register();
    const { data } = errands.start("1", worker, "project/p/map/m project/p");
    const [grant] = errands.machine.durable.rows(grantTable).scan("keeper", { limit: 1 });
    assert.deepEqual(
      [grant?.fence, grant?.owner, grant?.keeper, grant?.job, grant?.paths.map(({ path }) => path)],
      [data["fence"], "holdfast:job:1", worker, "1", ["project/p", "project/p/map/m"]],
    );
    errands.acquire("ann", "free");
    assert.deepEqual(eventLines(errands.start("2", worker, "free project/p").events), [
      "lock.release_requested ann",
      "lock.release_requested holdfast:job:1",
      "lock.queued holdfast:job:2",
      "errand.noted",
    ]);
    assert.equal(errands.holders().length, 2);
  });

  test("no caller can be an owner with the prefix of Holdfast [M14]", () => {
    const errands = new Errands();
    const { data } = errands.start("1", errands.register(), "a");
    for (const operation of ["renew-lock", "release-lock"])
      assert.equal(
        errands.decide(operation, { fence: data["fence"], owner_id: errandOwner("1") } as never).code,
        "owner_taken",
      );
    assert.equal(errands.acquire(errandOwner("9"), "b").code, "owner_taken");
  });

  test("a fence with a keeper is proof for the keeper alone, and is never assumed from the agent [X3 M10]", () => {
    const errands = new Errands();
    const [worker, other] = [errands.register(), errands.register()];
    const fence = errands.start("1", worker, "a").data["fence"] as string;
    assert.deepEqual(errands.ask(worker, "a", fence), [true, null]);
    assert.deepEqual(errands.ask(worker, "a"), [false, errandOwner("1")]);
    assert.deepEqual(errands.ask(other, "a", fence), [false, errandOwner("1")]);
    const input = { type: "doc", id: "1", value: {}, fence };
    errands.start("2", worker, "doc/1");
    assert.equal(errands.decide("create-entity", input, "p", other).code, "fence_stale");
  });

  test("heartbeats of the keeper renew its grants while they are in time, and its end frees nothing [W3 W9]", () => {
    const errands = new Errands();
    const [worker, other] = [errands.register(), errands.register()];
    errands.start("1", worker, "a");
    errands.start("2", other, "b");
    errands.time += 6_000;
    errands.beat(worker);
    const leases = errands.machine.durable.rows(grantTable).scan("keeper", { limit: 2 });
    assert.deepEqual(
      leases
        .map(({ job, heartbeatAt, expiresAt }) => [job, errands.time - heartbeatAt, expiresAt - errands.time])
        .sort(),
      [
        ["1", 0, 8_000],
        ["2", 6_000, 2_000],
      ],
    );
    errands.time += 6_000;
    const late = errands.beat(other);
    assert.deepEqual(
      errands.holders(),
      ["holdfast:job:1: a write", "holdfast:job:2: b write"],
      "a claimed grant stays",
    );
    assert.deepEqual(eventLines(late.events), ["agents.renewed"]);
    errands.decide("lose-errand", { id: "1" });
    errands.decide("lose-errand", { id: "2" });
    errands.decide("end-agent", { agent_id: worker });
    assert.deepEqual(errands.holders(), ["holdfast:job:1: a write", "holdfast:job:2: b write"]);
    errands.beat(other);
    assert.deepEqual(errands.holders(), ["holdfast:job:1: a write", "holdfast:job:2: b write"]);
    errands.pass(8_001);
    assert.deepEqual(errands.holders(), [], "nothing renews a lost grant");
  });

  test("a recoverable lock that a job claims is not recovered, and is recovered when the claim has ended [W3]", () => {
    const errands = new Errands();
    const map = "project/p/map/m";
    const fence = errands.start("1", errands.register(), map).data["fence"] as string;
    errands.pass(200_000);
    const forced = errands.decide("force-release", { fence, reason: "it seems dead" });
    assert.deepEqual(forced.data["failed"], ["claimed_by_active_job"]);
    errands.decide("lose-errand", { id: "1" });
    assert.ok(eventLines(errands.pass(0)).some((line) => line.startsWith("lock.recovered")));
  });

  test("a notify-only ticket keeps its place, is never granted, and lets its feature grant before the tickets behind it [X5]", () => {
    const errands = new Errands();
    errands.acquire("ann", "a");
    const ticket = errands.start("1", errands.register(), "a").data["ticket"] as string;
    assert.match(ticket, /^1\.\d+\.\d+$/u);
    errands.wait("bob", "a");
    assert.equal(errands.acquire("cid", "a:read").code, "lock_denied");
    assert.deepEqual(eventLines(errands.release("ann", "a").events), [
      "lock.released ann",
      "lock.cancelled holdfast:job:1 free",
      "lock.acquired holdfast:job:1",
      "errand.noted",
      "lock.waiting",
    ]);
    assert.deepEqual(errands.waiters(), ["bob: a write"]);
  });

  test("several notify-only tickets of one path leave in their order, and one that expires notifies its feature [X5]", () => {
    const errands = new Errands();
    const worker = errands.register();
    errands.acquire("ann", "a");
    for (const id of ["1", "2", "3"]) errands.start(id, worker, "a", id === "2" ? { wait_ms: 1_000 } : {});
    assert.deepEqual(eventLines(errands.pass(1_000)).slice(0, 2), [
      "lock.cancelled holdfast:job:2 expired",
      "errand.ended",
    ]);
    errands.release("ann", "a");
    assert.deepEqual(errands.holders(), ["holdfast:job:1: a write"]);
    const fence = `1.${String(errands.entries.length)}.2`;
    assert.equal(errands.decide("finish-errand", { id: "1", fence }, "p", worker).code, "done");
    assert.deepEqual(errands.holders(), ["holdfast:job:3: a write"]);
  });

  test("an adopted grant has a new fence, a new keeper and more paths, and the old fence is dead [X3 W3]", () => {
    const errands = new Errands();
    const [worker, next] = [errands.register(), errands.register()];
    const old = errands.start("1", worker, "a").data["fence"] as string;
    errands.acquire("ann", "c");
    const blocked = errands.decide("retry-errand", { id: "1", keeper: next, paths: [write("b"), write("c")] } as never);
    assert.deepEqual([blocked.code, blocked.data["current_owner"]], ["errand_denied", "ann"]);
    assert.deepEqual(errands.ask(worker, "a", old), [true, null], "a denied adoption changes nothing");
    const { data } = errands.decide("retry-errand", { id: "1", keeper: next, paths: [write("b")] } as never);
    const fence = data["fence"] as string;
    assert.deepEqual(errands.ask(worker, "a", old)[0], false);
    assert.deepEqual(errands.ask(worker, "a", fence)[0], false);
    assert.deepEqual(errands.ask(next, "a", fence)[0], true);
    assert.deepEqual(errands.ask(next, "b", fence)[0], true);
    assert.equal(errands.decide("finish-errand", { id: "1", fence, part: true }, "p", next).code, "done");
    assert.deepEqual(errands.holders(), ["ann: c write", "holdfast:job:1: b write"]);
  });
});

describe("invariants of locks of features", () => {
  const path = fc.constantFrom("a", "a/b", "c");
  const paths = fc.uniqueArray(path, { minLength: 1, maxLength: 2 });
  const id = fc.constantFrom("1", "2", "3");
  const owner = fc.constantFrom("ann", "bob");
  const command = fc.oneof(
    fc.record({ do: fc.constant("start" as const), id, paths }),
    fc.record({ do: fc.constant("finish" as const), id }),
    fc.record({ do: fc.constant("retry" as const), id, paths }),
    fc.record({ do: fc.constant("lock" as const), owner, path, wait: fc.boolean() }),
    fc.record({ do: fc.constant("release" as const), owner, path }),
    fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(500, 3_000, 9_000) }),
    fc.record({ do: fc.constant("beat" as const) }),
  );
  type ErrandCommand = typeof command extends fc.Arbitrary<infer C> ? C : never;

  function run(errands: Errands, worker: string, next: ErrandCommand): void {
    const fenceOf = (errand: string): string =>
      errands.machine.durable
        .rows(grantTable)
        .scan("keeper", { limit: 10 })
        .find(({ job }) => job === errand)?.fence ?? "1.1";
    if (next.do === "start") errands.start(next.id, worker, next.paths.join(" "), { wait_ms: 5_000 });
    else if (next.do === "finish")
      errands.decide("finish-errand", { id: next.id, fence: fenceOf(next.id) }, "p", worker);
    else if (next.do === "retry")
      errands.decide("retry-errand", { id: next.id, keeper: worker, paths: next.paths.map(write) } as never);
    else if (next.do === "lock") errands.acquire(next.owner, next.path, { wait: next.wait, ttlMs: 4_000 });
    else if (next.do === "release") errands.release(next.owner, next.path);
    else if (next.do === "pass") errands.pass(next.ms);
    else errands.beat(worker);
  }

  /** Every grant of an errand has its event, fences increase, and a ticket leaves only in its turn. */
  function checkEntries(entries: readonly Entry[]): void {
    const fences = new Set<string>();
    let last = [0, 0];
    for (const { events, position } of entries) {
      for (const { type, data } of events) {
        const fence = data["fence"] as string;
        if ((type !== "lock.acquired" && type !== "lock.adopted") || data["of"] !== undefined) continue;
        assert.ok(!fences.has(fence), `${fence} is granted twice`);
        fences.add(fence);
        const [, at = 0, number = 0] = fence.split(".").map(Number);
        assert.equal(at, position);
        assert.ok(at > last[0]! || number > last[1]!, `${fence} follows ${last.join(".")}`);
        last = [at, number];
        assert.ok(
          !(data["owner_id"] as string).startsWith("holdfast:") || data["ticket"] === undefined,
          "granted by its feature",
        );
      }
    }
  }

  /** The promises of the simulation hold at every entry: a later request does not pass a notify-only ticket. */
  const witness = {
    log: () => undefined,
    demand: (isKept: boolean, promise: string, detail: () => string) => {
      assert.ok(isKept, isKept ? promise : `${promise}: ${detail()}`);
    },
    faults: { count: () => undefined },
  };

  test("a notify-only ticket keeps its place and is not granted, fences follow grants, and undo and folds are exact [X3 X5 M3]", () => {
    let freeCount = 0;
    fc.assert(
      fc.property(fc.array(command, { maxLength: 120, size: "max" }), (commands) => {
        const errands = new Errands();
        const worker = errands.register({ inactivity_seconds: 604_800 });
        for (const next of commands) run(errands, worker, next);
        checkEntries(errands.entries);
        new LockWatch().append(errands.entries, witness);
        const events = errands.entries.flatMap((entry) => entry.events);
        freeCount += events.filter(({ data }) => data["why"] === "free").length;
        const again = machine();
        for (const entry of errands.entries) again.fold(JSON.parse(JSON.stringify(entry)) as Entry);
        assert.deepEqual([...again.dump()], [...errands.machine.dump()]);
      }),
      { numRuns: 60 },
    );
    assert.ok(freeCount > 0, `${freeCount} tickets became free`);
  });
});
