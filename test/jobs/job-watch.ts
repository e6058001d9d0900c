/**
 * The jobs of a journal, derived from the events of its entries alone, and the promises that hold at every start and at
 * every end. It has no table, index or counter of the pack.
 */
import type { Entry, Event } from "../../server/src/machine/entry.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { LockView } from "../simulation/lock-view.ts";
import type { Witness } from "../simulation/witness.ts";
import { WatchedCaps } from "./watched-caps.ts";
import type { WatchedAttempt, WatchedJob } from "./watched-job.ts";

interface JobWitness extends Witness {
  readonly faults: { count(name: string): void };
}

interface WatchedOffer {
  readonly types: readonly string[];
  readonly slots: number;
}

/** The commands with which a worker ends its attempt. */
const ends = ["jobs.complete", "jobs.complete-many", "jobs.fail", "jobs.release"];

export class JobWatch {
  readonly jobs = new Map<string, WatchedJob>();
  readonly offers = new Map<string, WatchedOffer>();
  readonly schedules = new Set<string>();
  caps = new WatchedCaps();
  view = new LockView();
  readonly #claims = new Set<string>();
  readonly #completed = new Set<string>();
  /** Every job that was submitted. Other owners have names of the same form. */
  readonly #known = new Set<string>();

  /** The jobs that a worker or a timer must still bring forward. */
  get open(): readonly WatchedJob[] {
    return [...this.jobs.values()].filter(({ state }) => state !== "failed" && state !== "waiting");
  }

  runningOf(worker: string): readonly WatchedJob[] {
    return [...this.jobs.values()].filter(({ attempt }) => attempt?.worker === worker);
  }

  append(entries: readonly Entry[], witness: JobWitness): void {
    for (const entry of entries) {
      for (const event of entry.events) {
        const check = (isKept: boolean, promise: string): void => {
          witness.demand(isKept, promise, () => `${JSON.stringify(event)} at position ${entry.position}`);
        };
        this.#apply(event, entry, check);
        this.view.apply(event, entry);
        if (event.type === "jobs.lost") witness.faults.count("a worker loses its job");
        if (event.type === "jobs.started" && this.#isAdopted(event, entry))
          witness.faults.count("a job adopts its locks");
      }
      if (entry.events.length > 0) this.#checkLocks(entry, witness);
    }
  }

  /** The journal was rolled back to these entries. */
  goBack(entries: readonly Entry[]): void {
    for (const list of [this.jobs, this.offers, this.schedules, this.#claims, this.#completed, this.#known])
      list.clear();
    this.caps = new WatchedCaps();
    this.view = new LockView();
    this.append(entries, { demand: () => undefined, log: () => undefined, faults: { count: () => undefined } });
  }

  #isAdopted({ data }: Event, { events }: Entry): boolean {
    return events.some(({ type, data: of }) => type === "lock.adopted" && of["fence"] === data["fence"]);
  }

  #apply(event: Event, entry: Entry, check: Check): void {
    const { type, subject, data } = event;
    if (subject.startsWith("job/")) this.#applyJob(subject.slice("job/".length), event, entry, check);
    else if (type === "jobs.offered") this.offers.set(subject.slice("worker/".length), data as unknown as WatchedOffer);
    else if (type === "jobs.withdrawn") this.offers.delete(subject.slice("worker/".length));
    else if (type === "agent.ended") this.offers.delete(subject.slice("agent/".length));
    else if (type === "agents.renewed") this.#renew(data["ids"] as readonly string[], entry);
    else if (type === "jobs.schedule_put") this.schedules.add(subject.slice("schedule/".length));
    else if (type === "jobs.schedule_deleted") this.schedules.delete(subject.slice("schedule/".length));
    else this.caps.apply(event);
  }

  /** A late heartbeat revives nothing: the job is lost at the next examination. */
  #renew(workers: readonly string[], { time, grace }: Entry): void {
    for (const { attempt } of this.jobs.values()) {
      if (attempt === undefined || !workers.includes(attempt.worker)) continue;
      if (attempt.leaseUntil > time || grace) attempt.leaseUntil = time + attempt.leaseMs;
    }
  }

  #applyJob(id: string, event: Event, entry: Entry, check: Check): void {
    const { type, data } = event;
    const job = this.jobs.get(id);
    if (type === "jobs.submitted") {
      check(job === undefined, "a job is submitted once");
      this.jobs.set(id, submittedJob(id, data));
      this.#known.add(id);
      return;
    }
    check(job !== undefined, "an event is about a job that has not ended");
    if (job === undefined) return;
    if (type === "jobs.started") this.#start(job, event, entry, check);
    else if (type === "jobs.progressed" && job.attempt !== undefined)
      job.attempt.leaseUntil = entry.time + job.attempt.leaseMs;
    else if (type === "jobs.cancel_requested" && job.attempt !== undefined)
      job.attempt.endAt = data["end_at"] as number;
    else if (type === "jobs.locked") job.isMap ||= data["is_map"] === true;
    else if (type !== "jobs.unlocked") this.#move(job, event, entry, check);
  }

  #start(job: WatchedJob, { data }: Event, { time }: Entry, check: Check): void {
    const running = [...this.jobs.values()].filter(({ state }) => state === "running");
    const { worker, claim } = data as { worker: string; claim: string };
    check(job.state === "ready" || job.state === "locking", "only a job that waits for its turn starts");
    check(!this.#claims.has(claim), "a claim identifies one attempt");
    this.#claims.add(claim);
    const jobClass = data["class"] as string;
    const full = this.caps.exceeded(job, jobClass, running);
    check(full === undefined, `no start exceeds a cap: ${full ?? ""}`);
    const { types = [], slots = 0 } = this.offers.get(worker) ?? {};
    check(types.includes(job.type), "a job starts for a worker that offers its type");
    check(this.runningOf(worker).length < slots, "a worker gets no more jobs than its slots");
    if (job.hasLocks) check(data["fence"] !== undefined, "a job with locks starts with their fence");
    const leaseMs = data["lease_ms"] as number;
    const endAt = (data["end_at"] as number | undefined) ?? Infinity;
    job.state = "running";
    job.attempt = { worker, claim, jobClass, leaseMs, leaseUntil: time + leaseMs, endAt };
  }

  /** All other events move a job to another state, and end its attempt if it has one. */
  #move(job: WatchedJob, { type, data }: Event, entry: Entry, check: Check): void {
    const { attempt, id } = job;
    if (attempt !== undefined) checkEnd(attempt, { type, data }, entry, check);
    const isEnd = type === "jobs.completed" || type === "jobs.cancelled" || type === "jobs.discarded";
    if (type === "jobs.completed") {
      check(attempt !== undefined && !this.#completed.has(id), "only a running job is completed, and once");
      this.#completed.add(id);
    }
    if (isEnd) this.jobs.delete(id);
    else job.state = stateAfter(type, data, job.state);
    if (job.state !== "running") job.attempt = undefined;
  }

  /** A job holds locks only while it runs. Locks that a lost attempt left are claimed by no job. */
  #checkLocks(entry: Entry, witness: JobWitness): void {
    for (const { owner, job: claimedBy, keeper } of this.view.grants.values()) {
      const id = owner.startsWith(ownerStart) ? owner.slice(ownerStart.length) : "";
      if (!this.#known.has(id)) continue;
      const job = this.jobs.get(id);
      const detail = (): string => `${owner} at position ${entry.position}: ${JSON.stringify(entry.events)}`;
      witness.demand(job?.state !== "locking", "a job that waits for its locks holds none", detail);
      const isClaimed = claimedBy !== undefined;
      witness.demand(
        isClaimed === (job?.attempt !== undefined),
        "a job claims its locks exactly while it runs",
        detail,
      );
      if (isClaimed) witness.demand(job?.attempt?.worker === keeper, "the worker of a job keeps its locks", detail);
    }
  }
}

type Check = (isKept: boolean, promise: string) => void;

const ownerStart = "holdfast:job:";

function submittedJob(id: string, data: JsonObject): WatchedJob {
  const {
    type,
    project,
    state,
    locks,
    is_map: isMap = false,
  } = data as unknown as {
    type: string;
    project: string;
    state: string;
    locks?: readonly unknown[];
    is_map?: boolean;
  };
  return { id, type, project, state, hasLocks: locks !== undefined, isMap, attempt: undefined };
}

interface Claimed {
  readonly claim?: string | undefined;
}

/** An attempt is ended by its own worker with its claim, or by its lease or its deadline. */
function checkEnd(
  attempt: WatchedAttempt,
  { type, data }: Pick<Event, "type" | "data">,
  entry: Entry,
  check: Check,
): void {
  const { operation, agent, input, time, grace } = entry;
  const isLive = grace || attempt.leaseUntil > time;
  const { claim, jobs = [{ claim }] } = input as Claimed & { readonly jobs?: readonly Claimed[] };
  const isClaimed = jobs.some((each) => each.claim === attempt.claim);
  const isOwn = ends.includes(operation) && agent === attempt.worker && isClaimed;
  // The late command of a worker ends its attempt as lost. The last of several losses fails the job.
  const isLastLoss = type === "jobs.failed" && (data["error"] as { readonly code?: string }).code === "worker_lost";
  const isLost = type === "jobs.lost" || (isLastLoss && operation !== "jobs.end-attempt");
  if (isLost) check(!isLive, "a worker loses its job only after its lease, outside the grace");
  else if (operation === "jobs.end-attempt")
    check(!grace && attempt.endAt <= time, "an attempt ends at its deadline, not before");
  else check(isOwn && isLive, "only its worker ends an attempt, with its claim and within its lease");
}

const statesAfter: Readonly<Record<string, string>> = {
  "jobs.blocked": "locking",
  "jobs.delayed": "scheduled",
  "jobs.attempt_failed": "scheduled",
  "jobs.lost": "scheduled",
  "jobs.failed": "failed",
};

function stateAfter(type: string, data: JsonObject, state: string): string {
  if (type === "jobs.readied" || type === "jobs.released") return data["next_at"] === undefined ? "ready" : "scheduled";
  return statesAfter[type] ?? (data["state"] as string | undefined) ?? state;
}
