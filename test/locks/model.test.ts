import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { LockMode } from "holdfast";
import { grantTable, holdTable, ticketTable } from "../../server/src/features/locks/lock-tables.ts";
import { spaceTable } from "../../server/src/features/space/space-table.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { Json } from "../../server/src/machine/json.ts";
import type { Machine } from "../../server/src/machine/machine.ts";
import { knownRules, machineOf } from "../../server/src/server.ts";
import { LockModel } from "./lock-model.ts";
import type { ModelGrant, ModelPath, ModelTicket } from "./lock-model.ts";

const owners = ["ann", "bob", "cid", "dee", "eve"];
const mode = fc.constantFrom<LockMode[]>("read", "upgradeable", "write");
const path = fc.constantFrom("a", "a/b", "a/b/c", "a/b/d", "a/e", "f", "f/g");
const locked = fc.record({ path, mode, scope: fc.constantFrom("tree", "self") }) as fc.Arbitrary<ModelPath>;
const owner = fc.constantFrom(...owners);
const pick = fc.nat(50);

const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("acquire"),
      owner,
      paths: fc.uniqueArray(locked, { minLength: 1, maxLength: 3, selector: (one) => one.path }),
      wait: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("release"), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("force"), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("upgrade"), pick, wait: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("downgrade"), pick, mode }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel"), pick }) },
);
type ModelCommand = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** Machine and model side by side. Grants and tickets are paired by what they are about. */
class Pair {
  readonly machine: Machine = machineOf([]);
  readonly model: LockModel;
  readonly entries: Entry[] = [];

  constructor(rules: number) {
    this.model = new LockModel(rules);
    for (let to = 2; to <= rules; to += 1) this.decide("raise-rules", { to });
  }

  decide(operation: string, input: Json): string {
    const position = this.entries.length + 1;
    const id = `command-${position}`;
    const place = { position, time: 1_000_000 + position, grace: false, prior: undefined };
    const { outcome, entry, defect } = this.machine.decide({ id, operation, principal: "p", input }, place);
    if (defect !== undefined) throw defect as Error;
    this.machine.settle();
    if (entry !== undefined) this.entries.push(entry);
    if (outcome.kind === "refusal") return outcome.code;
    return outcome.data["granted"] === false ? "queued" : "granted";
  }

  run(wish: ModelCommand): void {
    const { model } = this;
    const position = this.entries.length + 1;
    if (wish.do === "acquire" && "paths" in wish) {
      const paths = wish.paths.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      const input = {
        paths: wish.paths,
        wait: wish.wait,
        owner_id: wish.owner,
        ttl_seconds: 86_400,
        ticket_seconds: 3_600,
      };
      const answer = this.decide("acquire-lock", input as unknown as Json);
      assert.equal(answer, model.acquire(wish.owner, paths, wish.wait, position));
      return;
    }
    if (wish.do === "cancel") {
      const ticket = model.queue[wish.pick % Math.max(1, model.queue.length)];
      if (ticket === undefined) return;
      this.decide("cancel-ticket", { ticket: this.#ticketOf(ticket), owner_id: ticket.owner });
      model.cancel(ticket);
      return;
    }
    this.#change(wish, position);
  }

  #change(wish: ModelCommand, position: number): void {
    const { model } = this;
    const grant = "pick" in wish ? model.grants[wish.pick % Math.max(1, model.grants.length)] : undefined;
    if (grant === undefined) return;
    const about = { fence: this.#fenceOf(grant), owner_id: grant.owner };
    if (wish.do === "upgrade" && "wait" in wish) {
      const stronger = grant.paths.map((one) => ({ ...one, mode: "write" as const }));
      const answer = this.decide("upgrade-lock", { ...about, wait: wish.wait });
      assert.equal(answer, model.upgrade(grant, stronger, wish.wait, position));
    } else if (wish.do === "downgrade" && "mode" in wish) {
      this.decide("downgrade-lock", { ...about, mode: wish.mode });
      model.downgrade(grant, wish.mode);
    } else {
      if (wish.do === "force") this.decide("force-release", { fence: about.fence, reason: "test" });
      else this.decide("release-lock", about);
      model.free(grant);
    }
  }

  #fenceOf(grant: ModelGrant): string {
    const rows = this.machine.durable.rows(holdTable).scan("owner", { limit: 10_000 });
    const fences = new Set(rows.filter((row) => row.owner === grant.owner).map((row) => row.fence));
    for (const fence of fences) {
      const row = this.machine.durable.rows(grantTable).get(fence)!;
      if (JSON.stringify(row.paths.map(text)) === JSON.stringify(grant.paths.map(text))) return fence;
    }
    throw new Error("the machine does not have this grant");
  }

  #ticketOf(ticket: ModelTicket): string {
    return this.machine.durable.rows(ticketTable).scan("line", { limit: 10_000 })[this.model.queue.indexOf(ticket)]!
      .ticket;
  }

  /** Both have the same holders and the same line. */
  compare(): void {
    const { machine, model } = this;
    const holds = machine.durable.rows(holdTable).scan("owner", { limit: 10_000 });
    const held = holds.map((row) => `${row.owner} ${text(row)}`).sort();
    assert.deepEqual(
      held,
      model.grants.flatMap((grant) => grant.paths.map((one) => `${grant.owner} ${text(one)}`)).sort(),
    );
    const line = machine.durable.rows(ticketTable).scan("line", { limit: 10_000 });
    assert.deepEqual(line.map(inLine), model.queue.map(inLine));
    assert.ok(model.isSound(), "two owners hold what excludes each other");
  }
}

function text(one: ModelPath): string {
  return `${one.path} ${one.mode} ${one.scope}`;
}

function inLine(one: ModelGrant): string {
  return `${one.owner}: ${one.paths.map(text).join(", ")}`;
}

describe("the lock table", () => {
  for (const rules of knownRules) {
    test(`agrees by rules ${rules} with a model that compares everything with everything, over twenty thousand commands [X2 X5 X6 W1 G3]`, () => {
      agreesWithModel(rules);
    });
  }
});

function agreesWithModel(rules: number): void {
  let count = 0;
  fc.assert(
    fc.property(fc.array(command, { maxLength: 600, size: "max" }), (commands) => {
      const pair = new Pair(rules);
      for (const one of commands) {
        pair.run(one);
        pair.compare();
        count += 1;
      }
      while (pair.model.grants.length > 0) pair.run({ do: "release", pick: 0 });
      pair.compare();
      assert.deepEqual(left(pair.machine), [], "what is free leaves nothing behind");
      const again = machineOf([]);
      for (const entry of pair.entries) again.fold(JSON.parse(JSON.stringify(entry)) as Entry);
      assert.deepEqual([...again.dump()], [...pair.machine.dump()], "folding gives what deciding gave");
    }),
    { numRuns: 120 },
  );
  assert.ok(count >= 20_000, `${count} commands`);
}

/** Rows of locks, but for the few numbers that are kept for all of them. */
function left(machine: Machine): readonly unknown[] {
  return [...machine.dump()].filter(({ table }) => table !== "lock-facts" && table !== spaceTable.name);
}
