/** Random commands for the machine and the plain model of jobs. After each of them both must agree. */
import { defined } from "@holdfast/sdk/base/defined";
import assert from "node:assert/strict";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import type { GrantRow } from "../../server/src/features/locks/tables/lock-tables.ts";
import { jobTable, uniqueKey } from "../../server/src/packs/jobs/job-tables.ts";
import type { JobRow, WorkerRow } from "../../server/src/packs/jobs/job-tables.ts";
import type { DecisionResult } from "../locks/decider.ts";
import { Random } from "../simulation/random.ts";
import { checkCaps, checkCounts, checkJobLocks, checkNoneStartable, newAllowedCounts } from "./check-jobs.ts";
import { JobDecider, startedIn } from "./job-decider.ts";
import { JobModel } from "./job-model.ts";
import type { ModelJob, ModelUnique, ModelWorker } from "./model-job.ts";

const types = ["a", "b", "c"];
/** Jobs of A and B have cost 1 and weight 1. Those of C and D have any cost. */
const projects = ["A", "B", "C", "D"];
/** Jobs of this project lock one of these paths. */
const lockedProject = "L";
const paths = ["project/L/map/m", "project/L/map/n"];
const offers = [["a"], ["a", "b", "a@r"], ["b", "c"], ["a", "b", "c", "b@r"]];

/** The members of a job that both must agree on. */
function shownJob(job: object): string {
  return Object.values(job).join(" ");
}

function machineLine({ id, state, attempt, priority, maxAttempts, payload, attemptRow }: JobRow): string {
  const { worker = "", percent = "-", leaseUntil = 0 } = attemptRow ?? {};
  return shownJob({ id, state, attempt, priority, maxAttempts, payload, worker, percent, leaseUntil });
}

function modelLine(job: ModelJob): string {
  const { id, state, attempt, priority, maxAttempts, payload, worker, percent = "-", leaseUntil } = job;
  return shownJob({ id, state, attempt, priority, maxAttempts, payload, worker, percent, leaseUntil });
}

const workerLine = ({ worker, works, slots, until }: WorkerRow): string =>
  shownJob({ worker, works, slots, until: works.length === 0 ? 0 : until });

function modelWorkerLine([worker, { works, slots, until }]: readonly [string, ModelWorker]): string {
  return shownJob({ worker, works, slots, until: works.length === 0 ? 0 : until });
}

interface ShownHold {
  readonly owner: string;
  readonly isClaimed: boolean;
  readonly heartbeatAt: number;
}

const holdLine = ([path, { owner, isClaimed, heartbeatAt }]: readonly [string, ShownHold]): string =>
  `${path} ${owner} ${isClaimed} ${heartbeatAt}`;

function stateOf({ isFirst, delay }: { readonly isFirst: boolean; readonly delay: number }): string {
  if (!isFirst) return "waiting";
  return delay > 0 ? "scheduled" : "ready";
}

/** The machine and the model side by side. */
export class JobWorld {
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
    this.node.decide("jobs.configure", { types: { b: { map_job: true }, c: { class: "cpu" } } });
  }

  step(): void {
    const act = this.random.weighed({
      ...{ submit: 10, offer: 3, complete: 6, fail: 2, release: 1, cancel: 1, beat: 4, pass: 3 },
      ...{ acquire: 2, free: 2, completeMany: 2, configure: 1, pause: 1, retry: 1, change: 2, take: 2, progress: 2 },
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
    assert.deepEqual(rows.map(machineLine).sort(), [...this.model.jobs.values()].map(modelLine).sort(), act);
    const keys = this.node.rows<{ key: string; id: string }>("job-keys").map(({ key, id }) => `${key} ${id}`);
    assert.deepEqual(keys.sort(), [...this.model.keys].map(([key, { id }]) => `${key} ${id}`).sort(), act);
    assert.deepEqual(
      this.node.workers().map(workerLine).sort(),
      [...this.model.workers].map(modelWorkerLine).sort(),
      act,
    );
    assert.deepEqual(this.#holds(), [...this.model.holds].map(holdLine).sort(), act);
    checkJobLocks(state);
    checkCounts(state);
    checkCaps(state, this.allowed);
    checkNoneStartable(state, this.node.time);
    for (const { project, startable } of this.model.started) this.#count(project, startable);
  }

  /** The locks of the machine, as the model names them. */
  #holds(): readonly string[] {
    const grants = this.node.rows<GrantRow>("lock-grants");
    const lines = grants.map(({ paths: [held], owner, job, heartbeatAt }) => {
      const name = owner.replace("holdfast:job:", "");
      return holdLine([held?.path ?? "", { owner: name, isClaimed: job !== undefined, heartbeatAt }]);
    });
    return lines.sort();
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
    const { model, node } = this;
    const { job, unique, request } = this.#job();
    const { events, code } = node.submit(job.id, request);
    assert.equal(code, model.submit(job, unique));
    return events;
  }

  #sometimes<Value>(chance: number, make: () => Value): Value | undefined {
    return this.random.chance(chance) ? make() : undefined;
  }

  /** A random job, as the model knows it and as the machine gets it. */
  #job() {
    const { random, model } = this;
    const id = `j${(this.#jobs += 1)}`;
    const lock = this.#sometimes(0.3, () => random.pick(paths));
    const project = lock === undefined ? random.pick(projects) : lockedProject;
    const cost = ["A", "B"].includes(project) ? 1 : random.between(1, 20);
    const delay = this.#sometimes(0.2, () => random.between(1, 30)) ?? 0;
    const others = [...model.jobs.keys()];
    const after = this.#sometimes(others.length > 0 ? 0.1 : 0, () => [random.pick(others)]);
    const timeout = this.#sometimes(0.1, () => random.between(5, 60));
    const [type, priority, maxAttempts] = [random.pick(types), random.pick([10, 50, 90]), random.between(1, 3)];
    const [root, payload] = [this.#sometimes(0.2, () => "r"), random.below(1_000)];
    const unique = this.#sometimes(0.3, () => this.#unique());
    const request: JsonObject = defined({
      ...{ type, project, priority, cost, payload, root, after, delay_seconds: delay, max_attempts: maxAttempts },
      locks: lock && [{ path: lock, mode: "write", scope: "self" }],
      timeout_seconds: timeout,
      unique: unique as JsonObject | undefined,
    });
    const job = {
      ...{ id, type, project, root, lock, priority, cost, maxAttempts, payload },
      isMap: type === "b" || lock !== undefined,
      unique: unique && uniqueKey(type, unique.key),
      timeoutMs: timeout && timeout * 1_000,
      after: new Set(after),
      state: stateOf({ isFirst: after === undefined, delay }),
      at: delay && model.time + delay * 1_000,
    };
    return { job, unique, request };
  }

  #unique(): ModelUnique {
    const { random } = this;
    return {
      key: random.pick(["k1", "k2"]),
      until: random.pick(["started", "finished", 20] as const),
      duplicate: random.pick(["return", "replace", "refuse"] as const),
    };
  }

  acquire() {
    const [owner, path] = [this.random.pick(["ann", "bob"]), this.random.pick(paths)];
    const { code } = this.node.acquire(owner, path, { ttlMs: 45_000 });
    assert.equal(code, this.model.acquire(owner, path));
    return undefined;
  }

  free() {
    const [owner, path] = [this.random.pick(["ann", "bob"]), this.random.pick(paths)];
    const { events } = this.node.release(owner, path);
    this.model.free(owner, path);
    return this.#settle(0, events);
  }

  change() {
    const { random, model, node } = this;
    const jobs = [...model.jobs.values()];
    if (jobs.length === 0) return undefined;
    const job = random.pick(jobs);
    const priority = random.chance(0.5) ? random.pick([10, 50, 90]) : undefined;
    const maxAttempts = random.chance(0.3) ? random.between(1, 4) : undefined;
    const at = priority === undefined || random.chance(0.3) ? model.time + random.pick([-1_000, 5_000]) : undefined;
    const runAt = at === undefined ? undefined : new Date(at).toISOString();
    const changes = defined({ priority, max_attempts: maxAttempts, run_at: runAt });
    const { events, code } = node.jobs("change", { id: job.id, changes });
    const isWaiting = ["waiting", "scheduled", "ready"].includes(job.state);
    assert.equal(code, isWaiting ? "done" : "jobs.not_waiting");
    if (isWaiting) model.change(job, defined({ priority, maxAttempts, at }));
    return events;
  }

  take() {
    const index = this.random.below(offers.length);
    const [worker, works] = [this.workers[index] ?? "", this.random.pick(offers)];
    const count = this.random.between(1, 3);
    const { events } = this.node.jobs("take", { types: works, count }, worker);
    this.model.take(worker, works, count);
    return events;
  }

  progress() {
    const job = this.#running();
    if (job === undefined) return undefined;
    const percent = this.random.below(101);
    const { data } = this.node.work("progress", job.id, { percent });
    assert.equal(data["cancel_requested"], job.cancel ?? null);
    this.model.progress(job, percent);
    return [];
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

  /** Up to three jobs of one worker, and one of another, which is refused alone. */
  completeMany() {
    const [first, other] = [this.#running(), this.#running()];
    if (first === undefined || other === undefined) return undefined;
    const { worker } = first;
    const running = [...this.model.jobs.values()].filter((job) => job.state === "running" && job.worker === worker);
    const jobs = running.filter((job) => job.leaseUntil > this.model.time).slice(0, 3);
    const sent = (job: ModelJob) => ({ id: job.id, claim: this.node.row(job.id).attemptRow?.claim ?? "" });
    const foreign = other.worker === worker ? [] : [sent(other)];
    const { events, data } = this.node.jobs("complete-many", { jobs: [...jobs.map(sent), ...foreign] }, worker);
    const codes = (data["jobs"] as readonly { readonly code?: string }[]).map(({ code = "done" }) => code);
    assert.deepEqual(codes, [...jobs.map(() => "done"), ...foreign.map(() => "jobs.claim_stale")]);
    this.model.completeMany(jobs);
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
    caps.map = this.random.between(1, 2);
    const weight = this.random.between(1, 3);
    weights.set("D", weight);
    const { events } = this.node.decide("jobs.configure", {
      max_global_jobs: caps.global,
      max_jobs_per_project: caps.project,
      max_concurrent_map_jobs_per_project: caps.map,
      classes: { cpu: caps.classes["cpu"] },
      projects: { D: { weight } },
    });
    this.model.fill();
    return this.#settle(0, events);
  }

  pause() {
    const type = this.random.pick(types);
    const isPaused = !this.model.paused.has(type) && this.random.chance(0.4);
    const { events } = this.node.decide(isPaused ? "jobs.pause" : "jobs.resume", { type });
    if (isPaused) this.model.paused.add(type);
    else this.model.paused.delete(type);
    this.model.fill();
    return this.#settle(0, events);
  }
}
