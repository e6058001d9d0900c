import { describe, test } from "node:test";
import { counts } from "../prove/counts.ts";
import { Random } from "../simulation/random.ts";
import { checkCaps, checkCounts, checkJobLocks, checkNoneStartable, newAllowedCounts } from "./check-jobs.ts";
import { JobDecider } from "./job-decider.ts";
import { JobWorld } from "./job-world.ts";

/** Commands of one world. */
const worldSize = 200;

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
