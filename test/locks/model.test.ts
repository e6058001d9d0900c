import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { LockMode } from "holdfast";
import { grantTable, holdTable, ticketTable } from "../../server/src/features/locks/tables/lock-tables.ts";
import { spaceTable } from "../../server/src/features/space/space-table.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { Json } from "../../sdk/src/json/json.ts";
import type { Machine } from "../../server/src/machine/machine.ts";
import { machineOf } from "../../server/src/assembly/open.ts";
import { counts } from "../prove/counts.ts";
import { coversSet, LockModel } from "./lock-model.ts";
import type { ModelGrant, ModelPath, ModelTicket } from "./lock-model.ts";

const owners = ["ann", "bob", "cid", "dee", "eve"];
const mode = fc.constantFrom<LockMode[]>("read", "upgradeable", "write");
const owner = fc.constantFrom(...owners);
const pick = fc.nat(50);

/** A tree, in which most requests meet others; and a few paths, for which nearly everybody waits. */
const tree = ["a", "a/b", "a/b/c", "a/b/d", "a/e", "f", "f/g"];
const few = ["a", "b", "c", "d"];

function commandsOn(names: readonly string[], wait: fc.Arbitrary<boolean>, extendWeight: number) {
  const path = fc.constantFrom(...names);
  const locked = fc.record({ path, mode, scope: fc.constantFrom("tree", "self") }) as fc.Arbitrary<ModelPath>;
  const paths = fc.uniqueArray(locked, { minLength: 1, maxLength: 3, selector: (one) => one.path });
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("acquire"), owner, paths, wait }) },
    // Something that its owner holds, and more.
    { weight: extendWeight, arbitrary: fc.record({ do: fc.constant("extend"), pick, more: locked, wait }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("release"), pick }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("part"), pick, path: pick }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("transfer"), pick, owner }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("force"), pick }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("upgrade"), pick, wait }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("downgrade"), pick, mode }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel"), pick }) },
  );
}

const onTree = commandsOn(tree, fc.boolean(), 2);
/** Nearly everybody waits. */
const onFew = commandsOn(few, fc.constant(true), 8);
type ModelCommand = typeof onTree extends fc.Arbitrary<infer C> ? C : never;

/** Machine and model side by side. Grants and tickets are paired by what they are about. */
class Pair {
  readonly machine: Machine = machineOf([]);
  readonly model = new LockModel();
  readonly entries: Entry[] = [];

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
      this.#acquire(wish.owner, wish.paths, wish.wait);
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

  #acquire(holder: string, paths: readonly ModelPath[], wait: boolean): void {
    const sorted = paths.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    if (this.#isAmbiguous(holder, sorted)) return;
    const position = this.entries.length + 1;
    const input = { paths, wait, owner_id: holder, ttl_seconds: 86_400, ticket_seconds: 3_600 };
    const answer = this.decide("acquire-lock", input as unknown as Json);
    assert.equal(answer, this.model.acquire(holder, sorted, wait, position));
  }

  /** True if several grants of the same paths could be upgraded: which one is chosen is not specified. */
  #isAmbiguous(holder: string, paths: readonly ModelPath[]): boolean {
    const same = this.model.sameSets(holder, paths);
    const isEnough = same.some((grant) => coversSet(grant.paths, paths));
    return !isEnough && new Set(same.map(inLine)).size > 1;
  }

  #change(wish: ModelCommand, position: number): void {
    const { model } = this;
    const grant = "pick" in wish ? model.grants[wish.pick % Math.max(1, model.grants.length)] : undefined;
    if (grant === undefined) return;
    const about = { fence: this.#fenceOf(grant), owner_id: grant.owner };
    if (this.#share(wish, grant, about)) return;
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

  /** What goes on with more than it was, with another owner, or with less. */
  #share(wish: ModelCommand, grant: ModelGrant, about: { readonly fence: string; readonly owner_id: string }): boolean {
    const { model } = this;
    if ("more" in wish) {
      const others = grant.paths.filter(({ path }) => path !== wish.more.path);
      this.#acquire(grant.owner, [wish.more, ...others.slice(0, 1)], wish.wait);
    } else if (wish.do === "transfer" && "owner" in wish) {
      const answer = this.decide("transfer-lock", { ...about, to: wish.owner });
      assert.equal(answer, model.transfer(grant, wish.owner));
    } else if (wish.do === "part" && "path" in wish) {
      const { path } = grant.paths[wish.path % grant.paths.length]!;
      this.decide("release-lock", { ...about, paths: [path] });
      model.freePart(grant, [path]);
    } else return false;
    return true;
  }

  #fenceOf(grant: ModelGrant): string {
    const rows = this.machine.durable.rows(holdTable).scan("owner", { limit: 10_000 });
    const fences = new Set(rows.filter((row) => row.owner === grant.owner).map((row) => row.fence));
    const upgrade = this.model.queue.find(({ upgrades }) => upgrades === grant);
    for (const fence of fences) {
      const row = this.machine.durable.rows(grantTable).get(fence)!;
      const { rank } = this.machine.durable.rows(ticketTable).get(row.upgrading ?? "") ?? {};
      const isSame = JSON.stringify(row.paths.map(text)) === JSON.stringify(grant.paths.map(text));
      if (isSame && rank === upgrade?.rank) return fence;
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
    assert.ok(!model.hasCycle(), "owners wait for each other");
  }
}

function text(one: ModelPath): string {
  return `${one.path} ${one.mode} ${one.scope}`;
}

function inLine(one: ModelGrant): string {
  return `${one.owner}: ${one.paths.map(text).join(", ")}`;
}

describe("the lock table", () => {
  test("agrees with a model that compares everything with everything, over twenty thousand commands [X2 X5 X6 W1 G3]", () => {
    agreesWithModel(onTree, counts.lockModelRuns);
  });

  test("never lets owners wait for each other, whatever they share, upgrade, hand on or give back [X6]", () => {
    const untiedCount = agreesWithModel(onFew, counts.deadlockModelRuns);
    assert.ok(untiedCount > 0, "no release made a cycle");
  });
});

/** Compares after every command. Returns how many tickets left the queue because a release closed a cycle. */
function agreesWithModel(command: typeof onTree, runs: number): number {
  let count = 0;
  let untied = 0;
  fc.assert(
    fc.property(fc.array(command, { maxLength: 600, size: "max" }), (commands) => {
      const pair = new Pair();
      for (const one of commands) {
        pair.run(one);
        pair.compare();
        count += 1;
      }
      while (pair.model.grants.length > 0) pair.run({ do: "release", pick: 0 });
      pair.compare();
      untied += pair.model.untiedCount;
      assert.deepEqual(left(pair.machine), [], "what is free leaves nothing behind");
      const again = machineOf([]);
      for (const entry of pair.entries) again.fold(JSON.parse(JSON.stringify(entry)) as Entry);
      assert.deepEqual([...again.dump()], [...pair.machine.dump()], "folding gives what deciding gave");
    }),
    { numRuns: runs },
  );
  assert.ok(count >= (runs / 120) * 20_000, `${count} commands`);
  return untied;
}

/** Rows of locks, but for the few numbers that are kept for all of them. */
function left(machine: Machine): readonly unknown[] {
  return [...machine.dump()].filter(({ table }) => table !== "lock-facts" && table !== spaceTable.name);
}
