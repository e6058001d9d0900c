/** Resource usage of a running server, as the operating system reports it. */
import { readdirSync, readFileSync } from "node:fs";

export interface Sample {
  readonly minute: number;
  readonly memoryMb: number;
  readonly descriptors: number;
  readonly calls: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

export function usageOf(pid: number): Pick<Sample, "memoryMb" | "descriptors"> {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = Number(/^VmRSS:\s+(\d+)/mu.exec(status)?.[1] ?? NaN);
  return { memoryMb: kilobytes / 1_024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

export function latencyOf(tookMs: readonly number[]): Pick<Sample, "calls" | "p50" | "p95" | "p99"> {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0;
  return { calls: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}
