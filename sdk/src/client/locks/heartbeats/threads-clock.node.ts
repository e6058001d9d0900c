import process from "node:process";

/** Monotonic milliseconds, the same in all threads of a process. `performance.now` has another start in each. */
export function threadsClockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
