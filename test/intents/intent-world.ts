import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import { erasedEntry } from "../../server/src/engine/erased-entry.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { machineOf } from "../../server/src/assembly/open.ts";
import type { Entry } from "../../server/src/machine/entry.ts";
import type { Machine } from "../../server/src/machine/machine.ts";
import type { DecisionResult } from "../locks/decider.ts";
import { IntentDecider } from "./intent-decider.ts";
import { IntentWatch } from "./intent-watch.ts";

/** The bridges of every plan. */
export const bridgeNames = ["input", "price", "output"];

/** A random command. Members that it does not have get a default. */
export interface IntentCommand {
  readonly kind: string;
  readonly id?: string;
  readonly owner?: number;
  readonly to?: string | undefined;
  readonly step?: string;
  readonly n?: number;
}

/** Fails a test at the first promise that an entry breaks. */
const strict = {
  log: () => undefined,
  demand: (isKept: boolean, promise: string, detail: () => string) => {
    assert.ok(isKept, isKept ? promise : `${promise}: ${detail()}`);
  },
  faults: { count: () => undefined },
};

/** A machine with two agents that hold locks, a caller without one, and a watch of every entry. */
export class IntentWorld {
  readonly machine = new IntentDecider();
  readonly watch = new IntentWatch();
  readonly agents: string[];
  /** The last fence of each agent on each intent. It may have ended. */
  readonly #fences = new Map<string, string>();
  readonly #erased = new Set<number>();
  #seen = 0;

  constructor() {
    this.agents = [this.#register(), this.#register()];
    for (const id of ["1", "2"]) this.apply({ kind: "create", id, n: 1 });
  }

  apply(command: IntentCommand): void {
    const { kind, id = "1", to = "failed", n = 0 } = command;
    const { machine } = this;
    const effects: Readonly<Record<string, () => unknown>> = {
      create: () => machine.create(id, n === 0 ? to : "received"),
      transition: () => machine.intents("transition", { id, to }, this.#caller(command)),
      update: () => machine.intents("update", { id, changes: { n } }, this.#caller(command)),
      many: () => machine.intents("update-many", { ids: ["2", "1"], to }, this.#caller(command)),
      reevaluate: () => machine.reevaluate(id, { price: n }),
      delete: () => machine.intents("delete", { id }, this.#caller(command)),
      stop: () => machine.intents("stop", { id, reason: "enough" }),
      patch: () => machine.decide("patch-entity", { type: "intent", id, merge: { status: to } }),
      replace: () => machine.decide("replace-entity", { type: "intent", id, value: { status: to } }),
      remove: () => machine.decide("delete-entity", { type: "intent", id }),
      configure: () => this.#configure(n),
      erase: () => this.#erase(n),
      pass: () => machine.pass(n === 0 ? 1_000 : 15_001),
      ...this.#locks(command),
      ...this.#run(command),
    };
    const effect = effects[kind];
    assert.ok(effect, kind);
    effect();
    this.watch.append(machine.entries.slice(this.#seen), strict);
    this.#seen = machine.entries.length;
  }

  /** The commands about locks. */
  #locks(command: IntentCommand): Readonly<Record<string, () => unknown>> {
    const { id = "1", owner = 0, n = 0 } = command;
    const { machine } = this;
    const agent = this.agents[owner % 2];
    const fence = this.#fenceOf(command);
    const locked = (wait: boolean): void => {
      const paths = [`intent/${id}`, ...(n === 1 ? ["intent/1"] : [])].map((path) => ({ path, scope: "self" }));
      const more = wait ? { wait, ticket_seconds: 20 } : {};
      this.#remember(command, machine.decide("acquire-lock", { paths, ttl_seconds: 15, ...more }, "p", agent));
    };
    return {
      lock: () => locked(false),
      wait: () => locked(true),
      release: () => machine.decide("release-lock", { fence }, "p", agent),
      part: () => machine.decide("release-lock", { paths: [`intent/${id}`] }, "p", agent),
      downgrade: () => this.#remember(command, machine.decide("downgrade-lock", { fence, mode: "read" }, "p", agent)),
      upgrade: () => this.#remember(command, machine.decide("upgrade-lock", { fence }, "p", agent)),
      transfer: () => machine.decide("transfer-lock", { fence, to: this.agents[(owner + 1) % 2] ?? "" }, "p", agent),
      force: () => machine.decide("force-release", { fence, reason: "stuck" }),
      beat: () => machine.decide("renew-agents", { beats: this.agents }),
      end: () => {
        machine.decide("end-agent", {}, "p", agent);
        this.agents[owner % 2] = this.#register();
      },
    };
  }

  /** The commands about runs. A done step counts itself in the payload. */
  #run(command: IntentCommand): Readonly<Record<string, () => unknown>> {
    const { id = "1", to, n = 0 } = command;
    const fence = this.#fenceOf(command);
    const step = this.#stepOf(command);
    const { payload = {} } = this.machine.value(id) as { readonly payload?: { done?: Record<string, number> } };
    const done = { [step]: 1 + (payload.done?.[step] ?? 0) };
    const advance = (more: JsonObject) => this.machine.advance(id, fence, step, more);
    const plan = id === "1" ? { on_failure: "pause" } : { mode: "continue" };
    return {
      run: () => this.machine.run(id, fence, bridgeNames, plan),
      begin: () => {
        this.apply({ ...command, kind: "lock" });
        this.machine.run(id, this.#fenceOf(command), bridgeNames, plan);
      },
      advance: () => advance({ changes: { done }, ...defined({ to }) }),
      pause: () => advance({ changes: { done }, pause: "needs approval" }),
      retry: () => advance({ outcome: "retry" }),
      fail: () => advance({ outcome: "failed", fatal: n === 0 }),
    };
  }

  /** The third caller is not an agent. */
  #caller({ owner = 0 }: IntentCommand): string | undefined {
    return this.agents[owner];
  }

  /** Mostly the current step, so that runs reach their ends. */
  #stepOf({ id = "1", step = "input", n = 0 }: IntentCommand): string {
    const run = this.machine.value(id)["open_run"] === undefined ? {} : this.machine.runOf(id);
    return n === 0 || typeof run["current"] !== "string" ? step : run["current"];
  }

  #register(): string {
    return this.machine.register({ inactivity_seconds: 60 });
  }

  #fenceOf({ id = "1", owner = 0 }: IntentCommand): string {
    return this.#fences.get(`${owner % 2} ${id}`) ?? "1.999999";
  }

  #remember({ id = "1", owner = 0 }: IntentCommand, { data }: DecisionResult): void {
    if (typeof data["fence"] === "string") this.#fences.set(`${owner % 2} ${id}`, data["fence"]);
  }

  #configure(n: number): void {
    const strategies = {
      update_status: n === 0 ? "optimistic" : "pessimistic",
      update_payload: n === 1 ? "none" : "optimistic",
    };
    this.machine.intents("configure", { settings: { strategies, crash_limit: n } });
  }

  /** Asks to erase some entry, with the events that the application layer reads from its header. */
  #erase(n: number): void {
    const { entries } = this.machine;
    this.#eraseEntry(entries[Math.floor((entries.length * (n + 1)) / 4)] as Entry);
  }

  #eraseEntry(entry: Entry): void {
    const events = entry.events.map(({ type, subject }) => [type, subject]);
    const { code } = this.machine.decide("erase-payload", { position: entry.position, reason: "asked for", events });
    if (code === "done") this.#erased.add(entry.position);
  }

  /** Erases every payload that the state does not depend on. Returns their number. */
  eraseAll(): number {
    for (const entry of [...this.machine.entries]) this.#eraseEntry(entry);
    return this.#erased.size;
  }

  /** Asserts that the journal, also without its erased payloads, gives the same state from any checkpoint. */
  assertFolds(): void {
    const { entries, machine } = this.machine;
    const expected = stateOf(machine);
    assert.equal(stateOf(folded(entries)), expected, "folding the journal gives the state");
    const erased = entries.map((entry) =>
      this.#erased.has(entry.position) ? erasedEntry(entry, entries.length) : entry,
    );
    assert.equal(stateOf(folded(erased)), expected, "folding the journal without erased payloads gives the state");
    const checkpointed = folded([]);
    for (const entry of entries) {
      checkpointed.fold(entry);
      const loaded = machineOf([]);
      loaded.load(JSON.parse(JSON.stringify([...checkpointed.dump()])) as never);
      for (const later of erased.slice(entry.position)) loaded.fold(later);
      assert.equal(stateOf(loaded), expected, `folding from a checkpoint at ${entry.position} gives the state`);
    }
  }
}

function folded(entries: readonly Entry[]): Machine {
  const machine = machineOf([]);
  for (const entry of entries) machine.fold(entry);
  return machine;
}

function stateOf(machine: Machine): string {
  return JSON.stringify([...machine.dump()]);
}
