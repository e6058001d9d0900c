import { setTimeout } from "node:timers/promises";

/** A queue of jobs with one worker in this process, which does nothing. Each contender of the benchmark is one. */
export interface JobQueue {
  /** Submits one job, durably as far as its store is. */
  submit(): Promise<unknown>;
  /** Called by the worker at the start of every job. */
  onStart: () => void;
  close(): Promise<void>;
}

/** Slots of the worker, and callers that submit at the same time. */
export const jobSlots = 100;
export const submittersMax = 64;

/** 100 bytes of JSON. */
export const jobPayload = { text: "x".repeat(89) };

/** Jobs per second from the first submission until the last job has started its work, after all before it ended. */
export async function jobsPerSecond(queue: JobQueue, count: number): Promise<number> {
  const all = Promise.withResolvers<undefined>();
  let started = 0;
  queue.onStart = () => {
    started += 1;
    if (started === count) all.resolve(undefined);
  };
  const startMs = performance.now();
  const left = Array.from({ length: count }).values();
  const submit = async (): Promise<void> => {
    for (const _ of left) await queue.submit();
  };
  await Promise.all(Array.from({ length: submittersMax }, submit));
  await all.promise;
  return (count / (performance.now() - startMs)) * 1_000;
}

/** Interval between two jobs of an idle queue, so that the end of one is stored before the next. */
const idleMs = 10;

/** Milliseconds from the submission of a job to the start of its work, while nothing else runs. */
export async function startDelays(queue: JobQueue, count: number): Promise<readonly number[]> {
  const delays: number[] = [];
  for (let index = 0; index < count; index += 1) {
    await setTimeout(idleMs);
    const started = Promise.withResolvers<number>();
    queue.onStart = () => {
      started.resolve(performance.now());
    };
    const startMs = performance.now();
    const submitted = queue.submit();
    delays.push((await started.promise) - startMs);
    await submitted;
  }
  return delays;
}
