import type { CallReply } from "@holdfast/sdk";
import type { WatchedJob } from "../jobs/watched-job.ts";
import type { SimulatedRequest } from "./entity-requests.ts";
import { jobRequest, jobTypes } from "./job-requests.ts";
import type { World } from "./world.ts";

/** Maximum turns that a worker waits for the answer to its registration. */
const patienceMax = 40;

/** One life of a worker: a process with an agent of its own. */
interface WorkerLife {
  agent: string | undefined;
  /** Turns without an answer to the registration. */
  silence: number | undefined;
  /** Attempts that it saw, for commands with old claims. */
  readonly seen: { readonly id: string; readonly claim: string }[];
}

/** A process that works on jobs: it offers slots, reports, stalls past its lease, and dies. */
export class SimulatedWorker {
  readonly #world: World;
  #life: WorkerLife | undefined;
  #stalledUntilMs = 0;
  /** Turns without an answer to the last request after all faults. */
  #healing: number | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  /** The next request, unless the worker waits, stalls or dies. */
  next(): SimulatedRequest | undefined {
    const { random, time, faults } = this.#world;
    const life = (this.#life ??= { agent: undefined, silence: undefined, seen: [] });
    if (time.nowMs < this.#stalledUntilMs) return undefined;
    if (life.agent === undefined) return this.#register(life);
    if (random.chance(0.02)) {
      faults.count("worker dies");
      this.#life = undefined;
      return undefined;
    }
    if (random.chance(0.03)) {
      faults.count("worker stalls");
      this.#stalledUntilMs = time.nowMs + random.between(500, 12_000);
      return undefined;
    }
    return this.#work(life, life.agent);
  }

  /** After all faults, one worker runs every job that is left. */
  heal(): SimulatedRequest | undefined {
    const { time } = this.#world;
    if (this.#healing !== undefined && this.#healing < patienceMax) {
      this.#healing += 1;
      return undefined;
    }
    const request = time.nowMs < this.#stalledUntilMs ? undefined : this.#nextToHeal();
    if (request === undefined) return undefined;
    this.#healing = 0;
    const answered = (reply: CallReply): void => {
      this.#healing = undefined;
      request.answered?.(reply);
    };
    return { ...request, answered };
  }

  #nextToHeal(): SimulatedRequest | undefined {
    const { jobs, locks, time } = this.#world;
    const [schedule] = jobs.schedules;
    if (schedule !== undefined) return jobRequest("jobs.delete-schedule", { id: schedule });
    if (jobs.open.length === 0) return undefined;
    const [paused] = jobs.caps.paused.values();
    if (paused !== undefined) return jobRequest("jobs.resume", paused);
    if (jobs.caps.global < 100) return jobRequest("jobs.configure", healedCaps);
    const life = (this.#life ??= { agent: undefined, silence: undefined, seen: [] });
    if (life.agent !== undefined && !locks.view.agents.has(life.agent)) life.agent = undefined;
    if (life.agent === undefined) return this.#register(life);
    const offer = jobs.offers.get(life.agent);
    if (offer === undefined || offer.slots < 9) return this.#send(life, "jobs.offer", { types: jobTypes, slots: 9 });
    const [job] = jobs.runningOf(life.agent);
    if (job?.attempt !== undefined) return this.#end(life, "jobs.complete", job);
    // Time must pass until the other jobs are due.
    this.#stalledUntilMs = time.nowMs + 200;
    return this.#beat(life.agent);
  }

  #register(life: WorkerLife): SimulatedRequest | undefined {
    if (life.silence !== undefined) {
      life.silence += 1;
      if (life.silence > patienceMax) this.#life = undefined;
      return undefined;
    }
    life.silence = 0;
    const answered = ({ outcome }: CallReply): void => {
      const { agent_id: agent } = outcome.data as { readonly agent_id?: string };
      life.silence = undefined;
      life.agent = agent;
    };
    return { ...jobRequest("register-agent", { inactivity_seconds: 60 }), isKeyless: true, answered };
  }

  #work(life: WorkerLife, agent: string): SimulatedRequest {
    const { random, jobs } = this.#world;
    const running = jobs.runningOf(agent);
    const job = running.length === 0 ? undefined : random.pick(running);
    if (job?.attempt !== undefined) life.seen.push({ id: job.id, claim: job.attempt.claim });
    return job === undefined || random.chance(0.2) ? this.#seek(life, agent) : this.#continue(life, agent, job);
  }

  /** The worker looks for work. */
  #seek(life: WorkerLife, agent: string): SimulatedRequest {
    const { random } = this.#world;
    const some = jobTypes.filter(() => random.chance(0.7));
    const types = some.length === 0 ? jobTypes : some;
    if (random.chance(0.4)) return this.#beat(agent);
    if (random.chance(0.3)) return this.#send(life, "jobs.take", { types, count: random.between(1, 2) });
    return this.#send(life, "jobs.offer", { types, slots: random.between(0, 3) });
  }

  /** The worker reports on a job that it runs, and sometimes on an old attempt. */
  #continue(life: WorkerLife, agent: string, job: WatchedJob): SimulatedRequest {
    const { random } = this.#world;
    const path = random.pick(["document/a", "document/b", "project/p/map/n"]);
    const usual = {
      complete: 5,
      completeMany: 3,
      fail: 3,
      release: 2,
      progress: 3,
      lock: 2,
      unlock: 2,
      beat: 4,
      late: 1,
    };
    switch (random.weighed(usual)) {
      case "complete":
        return this.#end(life, "jobs.complete", job);
      case "completeMany":
        return this.#completeAll(life, agent);
      case "fail":
        return this.#end(life, "jobs.fail", job, { error: { message: "down" }, retry: random.chance(0.8) });
      case "release":
        return this.#end(life, "jobs.release", job, random.pick([{}, { delay_seconds: 1 }]));
      case "progress":
        return this.#end(life, "jobs.progress", job, { percent: random.between(0, 100), checkpoint: { n: 1 } });
      case "lock":
        return this.#end(life, "jobs.lock", job, { paths: [path] });
      case "unlock":
        return this.#end(life, "jobs.unlock", job);
      case "beat":
        return this.#beat(agent);
      case "late":
        return this.#send(life, "jobs.complete", random.pick(life.seen));
    }
  }

  /** Completes all jobs of the worker by one command, and sometimes an old attempt. */
  #completeAll(life: WorkerLife, agent: string): SimulatedRequest {
    const { random, jobs } = this.#world;
    const running = jobs.runningOf(agent).map(({ id, attempt }) => ({ id, claim: attempt?.claim ?? "" }));
    const late = random.chance(0.2) ? [random.pick(life.seen)] : [];
    return this.#send(life, "jobs.complete-many", { jobs: [...running, ...late], with_next: random.chance(0.5) });
  }

  #beat(agent: string): SimulatedRequest {
    return { ...jobRequest("renew-agents", { beats: [agent] }), isKeyless: true };
  }

  #end(life: WorkerLife, operation: string, { id, attempt }: WatchedJob, more: object = {}): SimulatedRequest {
    return this.#send(life, operation, { id, claim: attempt?.claim ?? "", ...more });
  }

  #send(life: WorkerLife, operation: string, input: SimulatedRequest["input"]): SimulatedRequest {
    const answered = ({ outcome }: CallReply): void => {
      if (outcome.kind === "done" || this.#life !== life) return;
      if (outcome.code === "jobs.claim_stale") this.#world.faults.count("a late worker is refused");
      // The server ended the agent. A process then registers a new one.
      if (outcome.code === "agent_unknown") this.#life = undefined;
    };
    return { ...jobRequest(operation, input, life.agent), answered };
  }
}

const healedCaps = {
  max_global_jobs: 1_000,
  max_jobs_per_project: 50,
  classes: { cpu: 4, io: 1_000 },
  projects: { B: null },
};
