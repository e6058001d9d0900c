import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { LockMode } from "holdfast";
import { withdrawalKey } from "@holdfast/sdk/contract";
import { grantTable, holdTable, ticketTable } from "../../server/src/features/locks/tables/lock-tables.ts";
import { withdrawalKeys } from "../../server/src/features/locks/tables/requests.ts";
import { modes } from "../../server/src/features/locks/tables/modes.ts";
import { agentTable, familyTable } from "../../server/src/features/agents/agent-table.ts";
import { spaceTable } from "../../server/src/features/space/space-table.ts";
import type { GrantRow, TicketRow } from "../../server/src/features/locks/tables/lock-tables.ts";
import type { Command, Entry, Outcome } from "../../server/src/machine/entry.ts";
import { defined } from "../../sdk/src/base/defined.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { Machine } from "../../server/src/machine/machine.ts";
import { featuresOf, knownRules } from "../../server/src/assembly/open.ts";
import { machineSettings } from "../../server/src/features/space/space.ts";
import { counts } from "../prove/counts.ts";
import { errandFeature, errandOwner } from "./errand-feature.ts";
import { coversSet, LockModel } from "./lock-model.ts";
import type { ModelGrant, ModelPath, ModelTicket } from "./lock-model.ts";

/** The ids of four agents, and a name. The id of an agent is that of the command that registers it. */
const [ann, bob, cid, dee] = ["command-1", "command-2", "command-3", "command-4"] as const;
const owners = [ann, bob, cid, dee, "eve"];
/** Ann waits for Bob, and Bob for Cid. Ann does not wait for her other child. */
const family = [{}, { parent: ann, parent_waits: true }, { parent: bob, parent_waits: true }, { parent: ann }];

/** The machine of the product, with a feature whose locks have a keeper and whose tickets are notify-only. */
const newMachine = (): Machine =>
  new Machine({ features: [...featuresOf([]), errandFeature], knownRules, settings: machineSettings });

const isOfErrand = ({ owner: holder }: ModelGrant): boolean => holder.startsWith(errandOwner(""));

const mode = fc.constantFrom<LockMode[]>("read", "upgradeable", "write");
const owner = fc.constantFrom(...owners);
const pick = fc.nat(50);

/** A tree in which most requests conflict, and a few paths for which nearly all owners wait. */
const tree = ["a", "a/b", "a/b/c", "a/b/d", "a/e", "f", "f/g"];
const few = ["a", "b", "c", "d"];

function commandsOn(names: readonly string[], wait: fc.Arbitrary<boolean>, extendWeight: number) {
  const path = fc.constantFrom(...names);
  const locked = fc.record({ path, mode, scope: fc.constantFrom("tree", "self") }) as fc.Arbitrary<ModelPath>;
  const paths = fc.uniqueArray(locked, { minLength: 1, maxLength: 3, selector: (item) => item.path });
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("acquire"), owner, paths, wait }) },
    // A path that its owner holds, with one more.
    { weight: extendWeight, arbitrary: fc.record({ do: fc.constant("extend"), pick, more: locked, wait }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("release"), pick }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("part"), pick, path: pick }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("transfer"), pick, owner }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("force"), pick }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("upgrade"), pick, wait }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("downgrade"), pick, mode }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel"), pick }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("repeat"), pick }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("withdraw"), pick }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("errand"), paths }) },
  );
}

const onTree = commandsOn(tree, fc.boolean(), 2);
/** Nearly all owners wait. */
const onFew = commandsOn(few, fc.constant(true), 8);
type ModelCommand = typeof onTree extends fc.Arbitrary<infer C> ? C : never;

interface ModelAnswer {
  readonly answer: string;
  readonly position: number;
  readonly request: string;
}

/** Machine and model side by side. Grants and tickets are paired by owner and paths. */
class Pair {
  readonly machine: Machine = newMachine();
  readonly model = new LockModel();
  readonly entries: Entry[] = [];
  readonly withdrawals = new Set<string>();
  /** The answers to the requests of errands. */
  readonly errands = new Set<string>();
  #errandCount = 0;
  /** The keyed requests that were not withdrawn. */
  readonly #sent: { readonly owner: string; readonly operation: string; readonly key: string }[] = [];

  constructor() {
    for (const input of family) this.decide("register-agent", { ...input, inactivity_seconds: 604_800 });
    this.model.waitingParents = new Map([
      [bob, ann],
      [cid, bob],
    ]);
  }

  /** Only an agent itself uses its id as owner. */
  decide(operation: string, input: JsonObject): string {
    const outcome = this.#outcome(operation, input);
    if (outcome.kind === "refusal") return outcome.code;
    return outcome.data["granted"] === false ? "queued" : "granted";
  }

  #outcome(operation: string, { owner_id: named, ...rest }: JsonObject, more: Partial<Command> = {}): Outcome {
    const position = this.entries.length + 1;
    const isAgent = typeof named === "string" && named.startsWith("command-");
    const author = isAgent ? { agent: named, input: rest } : { input: defined({ ...rest, owner_id: named }) };
    const command = { id: `command-${position}`, operation, principal: "p", ...author, ...more };
    const place = { position, time: 1_000_000 + position, grace: false, prior: undefined };
    const { outcome, entry, defect } = this.machine.decide(command, place);
    if (defect !== undefined) throw defect as Error;
    this.machine.settle();
    if (entry !== undefined) this.entries.push(entry);
    return outcome;
  }

  /** Sends a request for a lock. Two of three requests have a key. */
  #request(operation: string, input: JsonObject & { readonly owner_id: string }): ModelAnswer {
    const position = this.entries.length + 1;
    const key = position % 3 === 0 ? undefined : `k${position}`;
    const outcome = this.#outcome(operation, input, defined({ key }));
    if (key !== undefined) this.#sent.push({ owner: input.owner_id, operation, key });
    const answer = outcome.kind === "refusal" ? outcome.code : outcome.data["granted"] === false ? "queued" : "granted";
    return { answer, position, request: key === undefined ? "" : withdrawalKey({ operation, key }) };
  }

  /** Withdraws one of the last requests. */
  #withdraw(chosen: number): void {
    const recent = Math.min(10, Math.max(1, this.#sent.length));
    const [sent] = this.#sent.splice(-1 - (chosen % recent), 1);
    if (sent === undefined) return;
    const { owner: sender, ...request } = sent;
    const of = { key: withdrawalKey(request), evidence: { owner_id: sender } };
    const outcome = this.#outcome("withdraw-request", { ...request, owner_id: sender }, of);
    const { found, released, cancelled } = outcome.data as Readonly<Record<string, unknown>>;
    const kept = found === "ended" ? found : `${String(found)}, kept`;
    const isReleased = Array.isArray(released) && released.length > 0;
    const answer = isReleased ? "granted, released" : cancelled === undefined ? kept : "queued, cancelled";
    assert.equal(answer, this.model.withdraw(sender, of.key));
    this.withdrawals.add(answer);
  }

  /** In the model an errand waits and is granted as any other owner. Its feature grants what its ticket made free. */
  #startErrand(paths: readonly ModelPath[]): void {
    const id = `e${(this.#errandCount += 1)}`;
    const sorted = paths.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    const position = this.entries.length + 1;
    const input = { id, paths: sorted, keeper: ann, wait_ms: 3_600_000 } as unknown as JsonObject;
    const { data } = this.#outcome("start-errand", input);
    const answer = data["fence"] === undefined ? "queued" : "granted";
    const asked = { wait: true, position, request: "" };
    assert.equal(answer, this.model.acquire(errandOwner(id), sorted, asked));
    this.errands.add(answer);
  }

  /** Only the keeper proves the lock by its fence. */
  #finishErrand(grant: ModelGrant, isPart: boolean): void {
    const id = grant.owner.slice(errandOwner("").length);
    const input = defined({ id, fence: this.#fenceOf(grant), part: isPart ? true : undefined });
    assert.equal(this.decide("finish-errand", { ...input, owner_id: bob }), "errand_not_held");
    assert.equal(this.decide("finish-errand", { ...input, owner_id: ann }), "granted");
    if (isPart && grant.paths.length > 1) this.model.freePart(grant, [grant.paths[0]!.path]);
    else this.model.free(grant);
    this.errands.add(isPart ? "part finished" : "finished");
  }

  run(command: ModelCommand): void {
    const { model } = this;
    if (command.do === "acquire" && "wait" in command && "owner" in command) {
      this.#acquire(command.owner, command.paths, command.wait);
      return;
    }
    if (command.do === "errand" && "paths" in command) {
      this.#startErrand(command.paths);
      return;
    }
    if (command.do === "cancel" || command.do === "repeat") {
      const ticket = model.queue[command.pick % Math.max(1, model.queue.length)];
      // No caller can be the owner of an errand's locks.
      if (ticket === undefined || isOfErrand(ticket)) return;
      if (command.do === "repeat") {
        this.#acquire(ticket.owner, ticket.paths, true);
        return;
      }
      this.decide("cancel-ticket", { ticket: this.#ticketOf(ticket), owner_id: ticket.owner });
      model.cancel(ticket);
      return;
    }
    if (command.do === "withdraw") this.#withdraw(command.pick);
    else this.#change(command);
  }

  #acquire(holder: string, paths: readonly ModelPath[], wait: boolean): void {
    const sorted = paths.toSorted((a, b) => (a.path < b.path ? -1 : 1));
    if (this.#isAmbiguous(holder, sorted)) return;
    const input = { paths, wait, ttl_seconds: 86_400, ticket_seconds: 3_600 } as unknown as JsonObject;
    const { answer, ...request } = this.#request("acquire-lock", { ...input, owner_id: holder });
    assert.equal(answer, this.model.acquire(holder, sorted, { wait, ...request }));
  }

  /** True if several grants of the same paths could be extended. The contract does not say which one is chosen. */
  #isAmbiguous(holder: string, paths: readonly ModelPath[]): boolean {
    const same = this.model.sameSets(holder, paths);
    const enough = same.filter((grant) => coversSet(grant.paths, paths));
    return new Set((enough.length > 0 ? enough : same).map(describeShared)).size > 1;
  }

  #change(command: ModelCommand): void {
    const { model } = this;
    const grant = "pick" in command ? model.grants[command.pick % Math.max(1, model.grants.length)] : undefined;
    if (grant === undefined) return;
    if (isOfErrand(grant)) {
      this.#finishErrand(grant, command.do === "part");
      return;
    }
    const about = { fence: this.#fenceOf(grant), owner_id: grant.owner };
    if (this.#share(command, grant, about)) return;
    if (command.do === "upgrade" && "wait" in command) {
      const stronger = grant.paths.map((item) => ({ ...item, mode: "write" as const }));
      const { wait } = command;
      const { answer, ...request } = this.#request("upgrade-lock", { ...about, wait });
      assert.equal(answer, model.upgrade(grant, stronger, { wait, ...request }));
    } else if (command.do === "downgrade" && "mode" in command) {
      this.decide("downgrade-lock", { ...about, mode: command.mode });
      model.downgrade(grant, command.mode);
    } else {
      if (command.do === "force") this.decide("force-release", { fence: about.fence, reason: "test" });
      else this.decide("release-lock", about);
      model.free(grant);
    }
  }

  /** Extends, transfers or shrinks a grant. */
  #share(
    command: ModelCommand,
    grant: ModelGrant,
    about: { readonly fence: string; readonly owner_id: string },
  ): boolean {
    const { model } = this;
    if ("more" in command) {
      const others = grant.paths.filter(({ path }) => path !== command.more.path);
      this.#acquire(grant.owner, [command.more, ...others.slice(0, 1)], command.wait);
    } else if (command.do === "transfer" && "owner" in command) {
      const answer = this.decide("transfer-lock", { ...about, to: command.owner });
      assert.equal(answer, model.transfer(grant, command.owner));
    } else if (command.do === "part" && "path" in command) {
      const { path } = grant.paths[command.path % grant.paths.length]!;
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
      if (describeShared(sharedOf(row)) === describeShared(grant) && rank === upgrade?.rank) return fence;
    }
    throw new Error("the machine does not have this grant");
  }

  #ticketOf(ticket: ModelTicket): string {
    return this.machine.durable.rows(ticketTable).scan("rank", { limit: 10_000 })[this.model.queue.indexOf(ticket)]!
      .ticket;
  }

  /** Machine and model have the same holders and the same queue. */
  compare(): void {
    const { machine, model } = this;
    const holds = machine.durable.rows(holdTable).scan("owner", { limit: 10_000 });
    const held = holds.map((row) => `${row.owner} ${text(row)}`).sort();
    assert.deepEqual(
      held,
      model.grants.flatMap((grant) => grant.paths.map((item) => `${grant.owner} ${text(item)}`)).sort(),
    );
    const byMode = modes.flatMap((mode) => machine.durable.rows(holdTable).scan(mode, { limit: 10_000 }));
    assert.equal(byMode.length, holds.length, "each hold is in the order of its mode");
    const fences = new Set(holds.map(({ fence }) => fence));
    const rows = [...fences].map((fence) => sharedOf(machine.durable.rows(grantTable).get(fence)!));
    assert.deepEqual(rows.map(describeShared).sort(), model.grants.map(describeShared).sort());
    const line = machine.durable.rows(ticketTable).scan("rank", { limit: 10_000 });
    assert.deepEqual(line.map(sharedOf).map(describeShared), model.queue.map(describeShared));
    assert.ok(model.isSound(), "two owners hold locks that exclude each other");
    assert.ok(!model.hasCycle(), "owners wait for each other");
  }
}

function text(item: ModelPath): string {
  return `${item.path} ${item.mode} ${item.scope}`;
}

function describeShared({ owner: holder, paths, requests = new Set([""]) }: ModelGrant): string {
  return `${holder}: ${paths.map(text).join(", ")} for ${[...requests].sort().join(", ")}`;
}

function sharedOf({ requests, ...row }: GrantRow | TicketRow): ModelGrant {
  return requests === undefined ? row : { ...row, requests: new Set(withdrawalKeys({ requests })) };
}

describe("lock table", () => {
  test("the lock table agrees with a model that compares everything with everything, over 20,000 commands [X2 X5 X6 X13 W1 G3]", () => {
    const { withdrawals, errands } = agreesWithModel(onTree, counts.lockModelRuns);
    assert.deepEqual([...errands].sort(), ["finished", "granted", "part finished", "queued"]);
    const all = ["ended", "granted, kept", "granted, released", "queued, cancelled", "queued, kept"];
    assert.deepEqual([...withdrawals].sort(), all, "every kind of withdrawal happened");
  });

  test("the lock table never lets owners wait for each other after any share, upgrade, transfer or release [X6]", () => {
    const { deadlockCancelCount } = agreesWithModel(onFew, counts.deadlockModelRuns);
    assert.ok(deadlockCancelCount > 0, "no release closed a cycle");
  });
});

interface ModelFigures {
  /** Number of tickets that were cancelled because a release closed a cycle. */
  readonly deadlockCancelCount: number;
  /** The results of the withdrawals. */
  readonly withdrawals: ReadonlySet<string>;
  /** The answers to the requests of errands. */
  readonly errands: ReadonlySet<string>;
}

/** Compares after every command. */
function agreesWithModel(command: typeof onTree, runs: number): ModelFigures {
  let count = 0;
  let deadlockCancelCount = 0;
  const withdrawals = new Set<string>();
  const errands = new Set<string>();
  fc.assert(
    fc.property(fc.array(command, { maxLength: 600, size: "max" }), (commands) => {
      const pair = new Pair();
      for (const item of commands) {
        pair.run(item);
        pair.compare();
        count += 1;
      }
      while (pair.model.grants.length > 0) pair.run({ do: "release", pick: 0 });
      pair.compare();
      deadlockCancelCount += pair.model.deadlockCancelCount;
      for (const answer of pair.withdrawals) withdrawals.add(answer);
      for (const answer of pair.errands) errands.add(answer);
      assert.deepEqual(remainingRows(pair.machine), [], "a free lock leaves no rows");
      const again = newMachine();
      for (const entry of pair.entries) again.fold(JSON.parse(JSON.stringify(entry)) as Entry);
      assert.deepEqual([...again.dump()], [...pair.machine.dump()], "folding produces the same state as deciding");
    }),
    { numRuns: runs },
  );
  assert.ok(count >= (runs / 120) * 20_000, `${count} commands`);
  return { deadlockCancelCount, withdrawals, errands };
}

/** Rows of locks, except for the counters that all locks share. */
function remainingRows(machine: Machine): readonly unknown[] {
  const others = new Set(["lock-singletons", spaceTable.name, agentTable.name, familyTable.name]);
  return [...machine.dump()].filter(({ table }) => !others.has(table));
}
