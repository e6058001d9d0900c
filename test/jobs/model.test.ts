import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { jobTable } from "../../server/src/packs/jobs/job-tables.ts";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { checkCaps, checkCounts, checkJobLocks, checkNoneStartable, newAllowedCounts } from "./check-jobs.ts";
import { JobDecider, startedIn } from "./job-decider.ts";
import type { DecisionResult } from "../locks/decider.ts";
import { JobModel } from "./job-model.ts";
import type { ModelJob } from "./job-model.ts";

/** Commands of one world. */
const worldSize = 200;
const types = ["a", "b", "c"];
/** Jobs of A and B have cost 1 and weight 1. Those of C and D have any cost. */
const projects = ["A", "B", "C", "D"];
const offers = [["a"], ["a", "b"], ["b", "c"], ["a", "b", "c"]];

/** The machine and the model side by side. */
class JobWorld {
  readonly node = new JobDecider();
  readonly model = new JobModel();
  readonly random: Random;
  readonly workers: readonly string[];
  readonly allowed = newAllowedCounts();
  /** Starts of A minus starts of B, over the time in which both could be started. */
  readonly lead = { now: 0, least: 0, most: 0 };
  #jobs = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
    this.workers = offers.map(() => this.node.register({ inactivity_seconds: 604_800 }));
    this.node.decide("jobs.configure", { types: { c: { class: "cpu" } } });
  }

  step(): void {
    const act = this.random.weighed({
      ...{ submit: 10, offer: 3, complete: 6, fail: 2, release: 1, cancel: 1, beat: 4, pass: 3 },
      ...{ configure: 1, pause: 1, retry: 1 },
    });
    this.model.started = [];
    const result = this[act]();
    const settled = result ?? this.#settle(0);
    assert.deepEqual(
      startedIn({ events: settled }),
      this.model.started.map(({ id }) => id),
      `${act} starts the same jobs`,
    );
    this.#compare(act);
  }

  #compare(act: string): void {
    const state = this.node.machine.durable;
    const rows = state.rows(jobTable).scan("state", { limit: Infinity });
    const line = (job: { id: string; state: string; attempt: number }) => `${job.id} ${job.state} ${job.attempt}`;
    assert.deepEqual(rows.map(line).sort(), [...this.model.jobs.values()].map(line).sort(), act);
    checkCounts(state);
    checkCaps(state, this.allowed);
    checkNoneStartable(state, this.node.time);
    for (const { project, startable } of this.model.started) this.#count(project, startable);
  }

  /** In any window in which both could be started, one of them gets at most one start more [W8]. */
  #count(project: string, startable: ReadonlySet<string>): void {
    if (!startable.has("A") || !startable.has("B")) {
      if (project === "A" || project === "B") Object.assign(this.lead, { now: 0, least: 0, most: 0 });
      return;
    }
    if (project !== "A" && project !== "B") return;
    this.lead.now += project === "A" ? 1 : -1;
    this.lead.least = Math.min(this.lead.least, this.lead.now);
    this.lead.most = Math.max(this.lead.most, this.lead.now);
    assert.ok(this.lead.most - this.lead.least <= 1, `A and B differ by ${this.lead.most - this.lead.least} starts`);
  }

  /** Runs the timers of both until nothing is due. */
  #settle(ms: number, first: DecisionResult["events"] = []): DecisionResult["events"] {
    this.model.pass(ms);
    return [...first, ...this.node.pass(ms)];
  }

  #running(): ModelJob | undefined {
    const running = [...this.model.jobs.values()].filter(
      (job) => job.state === "running" && job.leaseUntil > this.model.time,
    );
    return running.length === 0 ? undefined : this.random.pick(running);
  }

  submit() {
    const { random, model, node } = this;
    const id = `j${(this.#jobs += 1)}`;
    const project = random.pick(projects);
    const cost = project === "A" || project === "B" ? 1 : random.between(1, 20);
    const delay = random.chance(0.2) ? random.between(1, 30) : 0;
    const others = [...model.jobs.keys()];
    const after = others.length > 0 && random.chance(0.1) ? [random.pick(others)] : [];
    const timeout = random.chance(0.1) ? random.between(5, 60) : undefined;
    const [type, priority, maxAttempts] = [random.pick(types), random.pick([10, 50, 90]), random.between(1, 3)];
    const at = delay === 0 ? 0 : model.time + delay * 1_000;
    const more = {
      ...(after.length > 0 ? { after } : {}),
      ...(timeout === undefined ? {} : { timeout_seconds: timeout }),
    };
    const { events } = node.submit(id, {
      type,
      project,
      priority,
      cost,
      delay_seconds: delay,
      max_attempts: maxAttempts,
      ...more,
    });
    const state = after.length > 0 ? "waiting" : at > 0 ? "scheduled" : "ready";
    const timeoutMs = timeout === undefined ? undefined : timeout * 1_000;
    model.submit({ id, type, project, priority, cost, maxAttempts, timeoutMs, after: new Set(after), state, at });
    return events;
  }

  offer() {
    const index = this.random.below(offers.length);
    const [worker = "", offered = []] = [this.workers[index], offers[index]];
    const slots = this.random.between(0, 4);
    const { events } = this.node.jobs("offer", { types: offered, slots }, worker);
    this.model.offer(worker, offered, slots);
    return events;
  }

  complete() {
    const job = this.#running();
    if (job === undefined) return undefined;
    const { events } = this.node.work("complete", job.id);
    this.model.complete(job);
    return events;
  }

  fail() {
    const job = this.#running();
    if (job === undefined) return undefined;
    const retry = this.random.chance(0.8);
    const { events } = this.node.work("fail", job.id, { error: { message: "down" }, retry });
    this.model.fail(job, retry);
    return events;
  }

  release() {
    const job = this.#running();
    if (job === undefined) return undefined;
    const delay = this.random.pick([0, 10]);
    const { events } = this.node.work("release", job.id, { delay_seconds: delay });
    this.model.release(job, delay * 1_000);
    return events;
  }

  cancel() {
    const jobs = [...this.model.jobs.values()].filter(({ state }) => state !== "failed");
    if (jobs.length === 0) return undefined;
    const job = this.random.pick(jobs);
    const { events } = this.node.jobs("cancel", { id: job.id });
    this.model.cancel(job);
    return events;
  }

  retry() {
    const type = this.random.pick(types);
    const { events } = this.node.jobs("retry", { type });
    this.model.retryFailed(type);
    return events;
  }

  beat() {
    const worker = this.random.pick(this.workers);
    this.node.beat(worker);
    this.model.beat(worker);
    return undefined;
  }

  pass() {
    return this.#settle(this.random.pick([1, 500, 5_000, 15_000, 46_000]));
  }

  configure() {
    const { caps, weights } = this.model;
    [caps.global, caps.project] = [this.random.between(1, 8), this.random.between(1, 4)];
    caps.classes["cpu"] = this.random.between(1, 3);
    const weight = this.random.between(1, 3);
    weights.set("D", weight);
    this.node.decide("jobs.configure", {
      max_global_jobs: caps.global,
      max_jobs_per_project: caps.project,
      classes: { cpu: caps.classes["cpu"] },
      projects: { D: { weight } },
    });
    this.model.fill();
    return this.#settle(0);
  }

  pause() {
    const type = this.random.pick(types);
    const isPaused = !this.model.paused.has(type) && this.random.chance(0.4);
    this.node.decide(isPaused ? "jobs.pause" : "jobs.resume", { type });
    if (isPaused) this.model.paused.add(type);
    else this.model.paused.delete(type);
    this.model.fill();
    return this.#settle(0);
  }
}

describe("the model of jobs", () => {
  test("the machine starts the same jobs in the same order as a model that examines everything [W8]", () => {
    for (let seed = 1; seed <= counts.jobCommands / worldSize; seed += 1) {
      const world = new JobWorld(seed);
      for (let step = 0; step < worldSize; step += 1) {
        try {
          world.step();
        } catch (error) {
          throw new Error(`seed ${seed}, step ${step}: ${(error as Error).message}`, { cause: error });
        }
      }
    }
  });

  test("random jobs with locks exceed no cap, leave no slot idle, and hold locks only while they run [W8 W9]", () => {
    for (let seed = 1; seed <= counts.jobCommands / worldSize; seed += 1) {
      const random = new Random(seed);
      const node = new JobDecider();
      const allowed = newAllowedCounts();
      const workers = [node.register({ inactivity_seconds: 604_800 }), node.register({ inactivity_seconds: 604_800 })];
      const paths = ["project/A", "project/A/map/m", "project/A/map/n", "project/A/map/m/sketch/s", "free/x"];
      node.decide("jobs.configure", { max_global_jobs: 4, max_jobs_per_project: 3 });
      for (let step = 0; step < worldSize; step += 1) {
        lockStep(node, random, { workers, paths, id: `j${step}` });
        const state = node.machine.durable;
        checkCounts(state);
        checkCaps(state, allowed);
        checkJobLocks(state);
        node.pass(0);
        checkNoneStartable(state, node.time);
      }
    }
  });
});

interface LockWorld {
  readonly workers: readonly string[];
  readonly paths: readonly string[];
  readonly id: string;
}

/** One random command about jobs with locks, or about the locks of other owners. */
function lockStep(node: JobDecider, random: Random, { workers, paths, id }: LockWorld): void {
  const running = node.running();
  const job = running.length === 0 ? undefined : random.pick(running);
  const some = (): string[] => [...new Set([random.pick(paths), random.pick(paths)])];
  const owner = random.pick(["ann", "bob"]);
  const act = random.weighed({
    submit: 6,
    offer: 2,
    end: 5,
    lock: 2,
    unlock: 1,
    acquire: 2,
    free: 2,
    beat: 2,
    pass: 3,
    cancel: 1,
  });
  if (act === "submit") submitLocked(node, random, { id, paths: some() });
  else if (act === "offer") node.jobs("offer", { types: ["a"], slots: random.between(0, 3) }, random.pick(workers));
  else if (act === "acquire") node.acquire(owner, random.pick(paths), { ttlMs: 45_000 });
  else if (act === "free") node.release(owner, random.pick(paths));
  else if (act === "beat") node.beat(random.pick(workers));
  else if (act === "pass") node.pass(random.pick([100, 3_100, 10_000, 46_000]));
  else if (act === "cancel") node.jobs("cancel", { type: "a", state: random.pick(["ready", "locking", "running"]) });
  else if (job === undefined) node.pass(1_000);
  else if (act === "lock") node.work("lock", job, { paths: some() });
  else if (act === "unlock") node.work("unlock", job);
  else if (random.chance(0.6)) node.work("complete", job);
  else if (random.chance(0.5)) node.work("fail", job, { error: { message: "down" } });
  else node.work("release", job);
}

function submitLocked(node: JobDecider, random: Random, job: { readonly id: string; readonly paths: string[] }): void {
  const locks = job.paths.map((path) => ({ path, mode: random.pick(["read", "write"]), scope: "self" }));
  const isInProject = job.paths.some((path) => path.startsWith("project/"));
  node.submit(job.id, { locks, max_attempts: 3, ...(isInProject ? { project: "A" } : {}) });
}
