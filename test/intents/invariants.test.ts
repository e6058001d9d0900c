/** Random commands of two owners on a few intents keep the invariants of intents. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { intentTransitions } from "@holdfast/sdk/contract";
import type { IntentStatus } from "@holdfast/sdk/contract";
import { IntentDecider } from "./intent-decider.ts";

const bridges = ["input", "price", "output"];
const ids = fc.constantFrom("1", "2");
const owners = fc.constantFrom("ann", "bob");
const statuses = fc.constantFrom("received", "normalized", "processed", "corrected", "completed", "failed");
const value = fc.integer({ min: 0, max: 2 });

const command = fc.oneof(
  fc.record({ kind: fc.constant("create"), id: ids, to: statuses }),
  fc.record({ kind: fc.constant("transition"), id: ids, to: statuses }),
  fc.record({ kind: fc.constant("update"), id: ids, n: value }),
  fc.record({ kind: fc.constant("many"), to: statuses }),
  fc.record({ kind: fc.constant("reevaluate"), id: ids, n: value }),
  fc.record({ kind: fc.constant("delete"), id: ids }),
  fc.record({ kind: fc.constant("lock"), id: ids, owner: owners }),
  fc.record({ kind: fc.constant("release"), id: ids, owner: owners }),
  fc.record({ kind: fc.constant("run"), id: ids, owner: owners }),
  fc.record({ kind: fc.constant("advance"), id: ids, owner: owners, step: fc.constantFrom(...bridges), to: statuses }),
  fc.record({ kind: fc.constant("fail"), id: ids, owner: owners, step: fc.constantFrom(...bridges) }),
  fc.record({ kind: fc.constant("stop"), id: ids }),
  fc.record({ kind: fc.constant("pass") }),
);

interface RandomCommand {
  readonly kind: string;
  readonly id?: string;
  readonly owner?: string;
  readonly to?: string;
  readonly step?: string;
  readonly n?: number;
}

/** Applies commands, and keeps the fences of the owners. */
class IntentWorld {
  readonly machine = new IntentDecider();
  readonly #fences = new Map<string, string>();

  apply({ kind, id = "1", owner = "ann", to = "failed", step = "input", n = 0 }: RandomCommand): void {
    const { machine } = this;
    const holder = `${owner} ${id}`;
    const fence = this.#fences.get(holder) ?? "1.999999";
    const effects: Readonly<Record<string, () => unknown>> = {
      create: () => machine.create(id, to),
      transition: () => machine.intents("transition", { id, to }),
      update: () => machine.intents("update", { id, changes: { n } }),
      many: () => machine.intents("update-many", { ids: ["2", "1"], to }),
      reevaluate: () => machine.reevaluate(id, { price: n }),
      delete: () => machine.intents("delete", { id }),
      lock: () => {
        this.#lock(id, owner, holder);
      },
      release: () => machine.release(owner, `intent/${id}`),
      run: () => machine.run(id, fence, bridges),
      advance: () => machine.advance(id, fence, step, { to }),
      fail: () => machine.advance(id, fence, step, { outcome: "failed" }),
      stop: () => machine.intents("stop", { id, reason: "enough" }),
      pass: () => machine.pass(15_001),
    };
    effects[kind]?.();
  }

  #lock(id: string, owner: string, holder: string): void {
    const { fence } = this.machine.acquire(owner, `intent/${id}`, { ttlMs: 15_000 }).data;
    if (typeof fence !== "string") return;
    this.#fences.set(holder, fence);
  }

  rows(table: string): readonly Record<string, unknown>[] {
    return [...this.machine.machine.dump()]
      .filter((each) => each.table === table)
      .map(({ row }) => row as Record<string, unknown>);
  }
}

/** The invariants of the state after each command. */
function assertState(world: IntentWorld): void {
  const live = new Set(world.rows("lock-grants").map(({ fence }) => fence));
  for (const entity of world.rows("entities")) {
    const { value: intent, id } = entity as { readonly value?: Record<string, unknown>; readonly id: string };
    if (intent === undefined) continue;
    const corrections = world
      .rows("intent-corrections")
      .filter((row) => row["intent"] === id)
      .map(({ number }) => number as number)
      .toSorted((a, b) => a - b);
    assert.deepEqual(
      corrections,
      corrections.map((_, index) => index + 1),
      "the numbers of corrections are dense",
    );
    assert.equal(intent["correction_count"], corrections.length);
    const open = intent["open_run"] as number | undefined;
    if (open === undefined) continue;
    const run = (intent["runs"] as Record<string, { state: string; fence?: string }>)[String(open)];
    assert.equal(run?.state === "running", run?.fence !== undefined && live.has(run.fence), JSON.stringify(run));
  }
}

interface RecordData {
  readonly intent_id: string;
  readonly run: number;
  readonly bridge: string;
  readonly old_status: IntentStatus;
  readonly new_status: IntentStatus;
}

/** The invariants of the history. */
function assertHistory({ machine }: IntentWorld): void {
  const completed = new Set<string>();
  let lives = 0;
  for (const { type, data } of machine.entries.flatMap(({ events }) => events)) {
    const record = data as unknown as RecordData;
    if (type === "intent.received") lives += 1;
    if (type === "intent.status_changed")
      assert.ok(
        intentTransitions[record.old_status].includes(record.new_status),
        `${record.old_status} to ${record.new_status}`,
      );
    if (type !== "intent.bridge_completed") continue;
    const step = `${lives} ${record.intent_id} ${record.run} ${record.bridge}`;
    assert.ok(!completed.has(step), `${step} completed twice`);
    completed.add(step);
  }
}

describe("invariants of intents", () => {
  test("random commands keep the table of statuses, dense corrections, one completion per step and live fences [B1 B4 B5]", () => {
    fc.assert(
      fc.property(fc.array(command, { minLength: 10, maxLength: 40 }), (commands) => {
        const world = new IntentWorld();
        for (const each of commands) {
          world.apply(each);
          assertState(world);
        }
        assertHistory(world);
      }),
      { numRuns: 60, seed: 11 },
    );
  });
});
