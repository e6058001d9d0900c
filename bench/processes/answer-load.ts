/** The load of a child server since its start, and its clock. */
export interface ServerLoad {
  /** Milliseconds for which its event loop was busy. */
  readonly loopMs: number;
  /** Milliseconds of processor time of all its threads. */
  readonly processorMs: number;
  readonly nowMs: number;
}

/** Answers every message of the parent with the load of this process. */
export function answerLoad(): void {
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    const load: ServerLoad = {
      loopMs: performance.eventLoopUtilization().active,
      processorMs: (user + system) / 1_000,
      nowMs: performance.now(),
    };
    process.send?.(load);
  });
}
