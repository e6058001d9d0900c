import type { SimulatedRequest } from "./entity-requests.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

export const jobTypes = ["a", "b", "c"];
const projects = ["A", "B", ""];
/** Paths that other owners lock too. */
const lockedPaths = ["document/a", "document/b", "bench/1", "bench/1/map/m", "project/p/map/m"];

/** Weights of the kinds of requests. */
const usual = {
  submit: 40,
  many: 4,
  cancel: 5,
  retry: 4,
  discard: 2,
  change: 4,
  configure: 4,
  pause: 2,
  resume: 4,
  schedule: 2,
} as const;

/** Generates the requests of senders and operators of jobs. */
export class JobRequests {
  readonly #random: Random;
  readonly #world: World;
  readonly #weights: Record<keyof typeof usual, number>;

  constructor(world: World) {
    this.#random = world.random;
    this.#world = world;
    this.#weights = world.random.unevenly(usual);
    // Without jobs nothing could fail.
    this.#weights.submit += 20;
  }

  make(): SimulatedRequest {
    const random = this.#random;
    const id = this.#id();
    const type = random.pick(jobTypes);
    switch (random.weighed(this.#weights)) {
      case "submit":
        return this.#by("jobs.submit", this.#job());
      case "many":
        return this.#by("jobs.submit-many", { jobs: Array.from({ length: random.between(1, 6) }, () => this.#job()) });
      case "cancel":
        return this.#by("jobs.cancel", random.chance(0.8) ? { id } : { type, state: "ready" });
      case "retry":
        return this.#by("jobs.retry", random.chance(0.3) ? { id } : { type });
      case "discard":
        return this.#by("jobs.discard", { type });
      case "change":
        return this.#by("jobs.change", { id, changes: { priority: random.pick([10, 90]) } });
      case "configure":
        return this.#by("jobs.configure", this.#settings());
      case "pause":
      case "resume":
        return this.#by(random.chance(0.4) ? "jobs.pause" : "jobs.resume", random.pick([{ type }, { project: "A" }]));
      case "schedule":
        return this.#by("jobs.put-schedule", { id: "s", cron: "* * * * *", job: { type } });
    }
  }

  /** Mostly a job that exists. */
  #id(): string {
    const known = [...this.#world.jobs.jobs.keys()];
    return known.length === 0 || this.#random.chance(0.1) ? "nothing" : this.#random.pick(known);
  }

  #job(): SimulatedRequest["input"] {
    const random = this.#random;
    const path = random.pick(lockedPaths);
    const isLocked = random.chance(0.35);
    const project = isLocked && path.startsWith("project/") ? "p" : random.pick(projects);
    return {
      type: random.pick(jobTypes),
      project,
      ...(random.chance(0.2) ? { id: `j${random.below(30)}` } : {}),
      ...(isLocked ? { locks: [{ path, mode: random.pick(["read", "write"]), scope: "self" }] } : {}),
      ...(random.chance(0.1) ? { unique: { key: "k", until: random.pick(["started", "finished", 2]) } } : {}),
      ...(random.chance(0.1) ? { after: [this.#id()] } : {}),
      ...(random.chance(0.15) ? { delay_seconds: random.between(1, 4) } : {}),
      ...(random.chance(0.1) ? { timeout_seconds: random.between(1, 3) } : {}),
      max_attempts: random.between(1, 3),
      cost: random.between(1, 3),
    };
  }

  #settings(): SimulatedRequest["input"] {
    const random = this.#random;
    return {
      max_global_jobs: random.between(1, 6),
      max_jobs_per_project: random.between(1, 3),
      classes: { cpu: random.between(0, 2) },
      types: { c: { class: "cpu", map_job: random.chance(0.5) } },
      projects: { B: random.pick([null, { weight: 2 }, { max_jobs: 1 }]) },
    };
  }

  /** Sometimes an agent sends it. An agent may not change the caps. */
  #by(operation: string, input: SimulatedRequest["input"]): SimulatedRequest {
    const agents = [...this.#world.locks.view.agents.keys()];
    const agent = agents.length === 0 || this.#random.chance(0.9) ? undefined : this.#random.pick(agents);
    return jobRequest(operation, input, agent);
  }
}

export function jobRequest(operation: string, input: SimulatedRequest["input"], agent?: string): SimulatedRequest {
  return { operation, input, isRead: false, speaker: { agent } };
}
