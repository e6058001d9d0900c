import { monitorEventLoopDelay, performance } from "node:perf_hooks";

/** Measures this process by the operating system and the event loop. */
interface ProcessMonitor {
  /** The delay of the event loop covers the time since the previous sample. */
  sample(): {
    readonly cpuSeconds: number;
    readonly residentBytes: number;
    readonly heapBytes: number;
    readonly startedAtMs: number;
    readonly loopDelaySeconds: { readonly p50: number; readonly p99: number; readonly max: number };
  };
  stop(): void;
}

const resolutionMs = 20;

export function monitorProcess(): ProcessMonitor {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  // The measuring timer includes its own interval in the delay.
  const seconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - resolutionMs / 1000);
  return {
    sample() {
      const { user, system } = process.cpuUsage();
      const { rss, heapUsed } = process.memoryUsage();
      const hasSamples = delay.count > 0;
      const loopDelaySeconds = {
        p50: hasSamples ? seconds(delay.percentile(50)) : 0,
        p99: hasSamples ? seconds(delay.percentile(99)) : 0,
        max: hasSamples ? seconds(delay.max) : 0,
      };
      delay.reset();
      return {
        cpuSeconds: (user + system) / 1e6,
        residentBytes: rss,
        heapBytes: heapUsed,
        startedAtMs: performance.timeOrigin,
        loopDelaySeconds,
      };
    },
    stop() {
      delay.disable();
    },
  };
}
