import type { CallReply } from "@holdfast/sdk";
import type { IntentRun } from "@holdfast/sdk/contract";
import type { SimulatedRequest } from "./entity-requests.ts";
import { intentIds, intentRequest } from "./intent-requests.ts";
import type { World } from "./world.ts";

/** Maximum turns that a runner waits for the answer to a request. Then its process has died. */
const patienceMax = 40;

/** Statuses to which a bridge moves its intent. Some are invalid at that time, and the runner then sends none. */
const targets: Readonly<Record<string, string>> = { input: "normalized", price: "processed", output: "completed" };

type Plan = Readonly<Record<"pipeline" | "mode" | "on_failure" | "bridges", unknown>>;

/** The knowledge of one life of a runner. It may be outdated, on purpose. */
interface RunnerLife {
  readonly id: string;
  readonly owner: string;
  readonly isAgent: boolean;
  fence?: string;
  run?: { readonly number: number; readonly step: string; readonly done: Readonly<Record<string, number>> };
  /** Turns without an answer to the request that was sent. */
  silence?: number;
  /** The run has ended, or the lock has. */
  isOver: boolean;
  /** The number of refusals of the result of the current step, because the intent cannot change so. */
  refusals: number;
}

/** A process that runs bridges: it acquires a lock, runs the steps, stalls past its lease, and dies. */
export class SimulatedRunner {
  readonly #name: string;
  readonly #world: World;
  readonly #plan: Plan;
  #life: RunnerLife | undefined;
  #lives = 0;
  #stalledUntilMs = 0;

  constructor(name: string, world: World) {
    this.#name = name;
    this.#world = world;
    const { random } = world;
    const mode = random.pick(["failfast", "continue", "selective"]);
    const bridges = [{ name: "input" }, { name: "price" }, { name: "output", on_error: "fail" }];
    this.#plan = { pipeline: "orders", mode, on_failure: random.pick(["fail", "pause"]), bridges };
  }

  /** The next request, if the runner is not waiting, stalled or dead. */
  next(): SimulatedRequest | undefined {
    const { random, time, faults } = this.#world;
    const life = (this.#life ??= this.#beginAny());
    if (life === undefined || time.nowMs < this.#stalledUntilMs) return undefined;
    if (this.#isSilent(life)) return undefined;
    if (random.chance(0.03)) {
      faults.count("runner dies");
      this.#life = undefined;
      return undefined;
    }
    if (random.chance(0.04)) {
      faults.count("runner stalls");
      this.#stalledUntilMs = time.nowMs + random.between(500, 12_000);
      return undefined;
    }
    // A process that ends in order releases its lock, and its run is interrupted at once.
    if (life.run !== undefined && random.chance(0.05)) life.isOver = true;
    return this.#request(life, { isHealed: false });
  }

  /** The next request after all faults: the run of an intent is resumed by its own plan, and every step is done. */
  heal(): SimulatedRequest | undefined {
    const { intents, time } = this.#world;
    const life = (this.#life ??= this.#beginNext());
    if (life === undefined || this.#isSilent(life) || time.nowMs < this.#stalledUntilMs) return undefined;
    const isOpen = intents.open.some(({ id }) => id === life.id);
    if (!isOpen && life.fence === undefined) this.#life = undefined;
    return this.#life === undefined ? undefined : this.#request(life, { isHealed: true });
  }

  /** Mostly an intent that exists. */
  #beginAny(): RunnerLife | undefined {
    const { random, intents } = this.#world;
    const known = [...intents.intents.keys()];
    if (random.chance(0.05)) return this.#begin(random.pick(intentIds));
    return known.length === 0 ? undefined : this.#begin(random.pick(known));
  }

  #beginNext(): RunnerLife | undefined {
    const [open] = this.#world.intents.open;
    return open === undefined ? undefined : this.#begin(open.id);
  }

  #begin(id: string): RunnerLife {
    const { random, locks } = this.#world;
    const agents = [...locks.view.agents.keys()];
    const agent = agents.length > 0 && random.chance(0.3) ? random.pick(agents) : undefined;
    this.#lives += 1;
    const owner = agent ?? `${this.#name}-${this.#lives}`;
    return { id, owner, isAgent: agent !== undefined, isOver: false, refusals: 0 };
  }

  /** True while the runner waits for an answer. It gives up after `patienceMax` turns. */
  #isSilent(life: RunnerLife): boolean {
    if (life.silence === undefined) return false;
    life.silence += 1;
    if (life.silence > patienceMax) this.#life = undefined;
    return true;
  }

  #request(life: RunnerLife, { isHealed }: { readonly isHealed: boolean }): SimulatedRequest {
    const { random } = this.#world;
    life.silence = 0;
    if (life.fence === undefined) return this.#acquire(life);
    if (life.isOver) return this.#send(life, "release-lock", { fence: life.fence });
    if (life.run === undefined)
      return this.#send(life, "intents.run", { ...this.#target(life), ...this.#planOf(life, isHealed) });
    if (random.chance(0.25)) return this.#send(life, "renew-lock", { fence: life.fence });
    return this.#advance(life, life.run, isHealed);
  }

  #target({ id, fence }: RunnerLife): { readonly id: string; readonly fence: string } {
    return { id, fence: fence ?? "" };
  }

  /** Sometimes another version of the program with another plan. */
  #planOf({ id }: RunnerLife, isHealed: boolean): object {
    const { random, intents } = this.#world;
    const value = intents.intents.get(id)?.value;
    if (isHealed && value?.open_run !== undefined) {
      const { pipeline, mode, on_failure, bridges } = value.runs[String(value.open_run)] as unknown as Plan;
      return { pipeline, mode, on_failure, bridges };
    }
    const resume = random.chance(0.1) ? { resume: random.pick(["never", "only"]) } : {};
    return { ...this.#plan, ...(random.chance(0.05) ? { pipeline: "others" } : {}), ...resume };
  }

  #acquire(life: RunnerLife): SimulatedRequest {
    const { random } = this.#world;
    const paths = [{ path: `intent/${life.id}`, mode: "write", scope: random.pick(["self", "tree"]) }];
    return this.#send(life, "acquire-lock", { paths, ttl_seconds: random.pick([1, 2, 5, 10]) });
  }

  #advance(life: RunnerLife, run: NonNullable<RunnerLife["run"]>, isHealed: boolean): SimulatedRequest {
    const { random } = this.#world;
    const { number, step, done } = run;
    const outcome = isHealed ? "done" : random.weighed({ done: 12, retry: 2, failed: 1 });
    const end = { ...this.#target(life), run: number, step, outcome };
    if (outcome !== "done") return this.#send(life, "intents.advance", { ...end, error: { code: "e", message: "" } });
    const move = !isHealed && life.refusals === 0 && random.chance(0.5) ? { to: targets[step] } : {};
    const correction = { diff: { price: random.below(3) }, source: "runner", reason: "r" };
    const more = {
      ...(!isHealed && random.chance(0.1) ? { correction } : {}),
      ...(!isHealed && random.chance(0.05) ? { pause: "needs approval" } : {}),
    };
    // An ended intent takes no changes.
    const changes = life.refusals < 2 ? { changes: { done: { [step]: 1 + (done[step] ?? 0) } } } : {};
    return this.#send(life, "intents.advance", { ...end, ...changes, ...move, ...more });
  }

  #send(life: RunnerLife, operation: string, input: SimulatedRequest["input"]): SimulatedRequest {
    const isAboutLock = operation.endsWith("-lock");
    const named = isAboutLock && !life.isAgent ? { ...input, owner_id: life.owner } : input;
    const request = intentRequest(operation, named, life.isAgent ? life.owner : undefined);
    return { ...request, answered: (reply) => this.#answered(life, operation, reply) };
  }

  #answered(life: RunnerLife, operation: string, { outcome }: CallReply): void {
    if (this.#life !== life) return;
    delete life.silence;
    const data = outcome.data as { fence?: string; run?: IntentRun; payload?: { done?: Record<string, number> } };
    if (outcome.kind === "refusal") this.#refused(life, operation, outcome.code);
    else if (operation === "acquire-lock") {
      if (data.fence === undefined) this.#life = undefined;
      else life.fence = data.fence;
    } else if (operation === "release-lock") this.#life = undefined;
    else if (operation.startsWith("intents.")) noteRun(life, data);
  }

  #refused(life: RunnerLife, operation: string, code: string): void {
    if (code === "fence_stale" && operation === "intents.advance") this.#world.faults.count("a late runner is refused");
    if (operation === "intents.advance" && (code === "intents.transition_invalid" || code === "concurrency_mismatch")) {
      life.refusals += 1;
      return;
    }
    this.#life = undefined;
    // After all faults, the lease of another owner must end first.
    if (operation === "acquire-lock") this.#stalledUntilMs = this.#world.time.nowMs + 500;
  }
}

function noteRun(
  life: RunnerLife,
  {
    run,
    payload,
  }: { readonly run?: IntentRun; readonly payload?: { readonly done?: Readonly<Record<string, number>> } },
): void {
  if (run?.state !== "running" || run.current === undefined) life.isOver = true;
  else {
    life.refusals = 0;
    life.run = { number: run.number, step: run.current, done: payload?.done ?? {} };
  }
}
