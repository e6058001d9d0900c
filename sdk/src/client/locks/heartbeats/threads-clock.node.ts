import process from "node:process";

/** Milliseconds that only grow, the same in all threads of a process: `performance.now` starts anew in each. */
export function threadsMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
