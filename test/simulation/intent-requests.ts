import { intentStatuses } from "@holdfast/sdk/contract";
import type { SimulatedRequest } from "./entity-requests.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** Few intents, so that callers and runners conflict. */
export const intentIds = ["1", "2", "3"];

/** Weights of the kinds of requests. */
const usual = {
  create: 30,
  transition: 10,
  update: 14,
  many: 6,
  reevaluate: 20,
  delete: 4,
  stop: 6,
  generic: 3,
  configure: 3,
} as const;

/** Generates the requests of callers that correct, move and stop intents while runners work on them. */
export class IntentRequests {
  readonly #random: Random;
  readonly #world: World;
  readonly #weights: Record<keyof typeof usual, number>;

  constructor(world: World) {
    this.#random = world.random;
    this.#world = world;
    this.#weights = world.random.unevenly(usual);
    // Without intents nothing could fail.
    this.#weights.create += 10;
  }

  make(): SimulatedRequest {
    const random = this.#random;
    const id = random.pick(intentIds);
    const diff = { price: random.below(3) };
    switch (random.weighed(this.#weights)) {
      case "create":
        return this.#by("intents.create", { id, payload: { n: 0 }, status: this.#firstStatus() });
      case "transition":
        return this.#by("intents.transition", { id, to: random.pick(intentStatuses), ...this.#fence() });
      case "update":
        return this.#by("intents.update", { id, changes: { n: random.below(4) }, ...this.#condition(id) });
      case "many":
        return this.#by("intents.update-many", { ids: random.pick([["2", "1"], intentIds]), changes: { m: 1 } });
      case "reevaluate":
        return this.#by("intents.reevaluate", { id, diff, source: "s", reason: "r", ...this.#condition(id) });
      case "delete":
        return this.#by("intents.delete", { id });
      case "stop":
        return this.#by("intents.stop", { id, reason: "simulated" });
      case "generic":
        return this.#by("patch-entity", { type: "intent", id, merge: { status: "completed" } });
      case "configure":
        return intentRequest("intents.configure", { settings: { crash_limit: random.pick([0, 1]) } });
    }
  }

  #firstStatus(): string {
    return this.#random.pick(["received", "received", "normalized", "processed", "corrected", "failed"]);
  }

  /** The version of the intent, or an outdated one. */
  #condition(id: string): object {
    const random = this.#random;
    const version = this.#world.intents.versions.get(id);
    if (version === undefined || random.chance(0.7)) return this.#fence();
    return { expected_version: Math.max(1, version - random.below(3)) };
  }

  /** Sometimes the fence of a runner, live or ended. */
  #fence(): object {
    const random = this.#random;
    const { fences } = this.#world.locks;
    return fences.length === 0 || random.chance(0.8) ? {} : { fence: random.pick(fences.slice(-4)) };
  }

  /** Agents and other callers correct intents. */
  #by(operation: string, input: SimulatedRequest["input"]): SimulatedRequest {
    const agents = [...this.#world.locks.view.agents.keys()];
    const agent = agents.length === 0 || this.#random.chance(0.7) ? undefined : this.#random.pick(agents);
    return intentRequest(operation, input, agent);
  }
}

export function intentRequest(operation: string, input: SimulatedRequest["input"], agent?: string): SimulatedRequest {
  return { operation, input, isRead: false, speaker: { agent } };
}
