/**
 * Loaded into every process that `npm test` starts. When the process ends, it writes one line of JSON to file
 * descriptor 3. The line has the processor seconds of the process and of the children that it waited for.
 */
import { readFileSync, writeSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

/** The descriptor on which a process reports to `npm test`. */
export const reportDescriptor = 3;

/** Linux counts the time of children in hundredths of a second. */
const ticksPerSecond = 100;

/** Seconds of the children that have ended; undefined on systems without `/proc`. */
function childSeconds(): number | undefined {
  if (process.platform !== "linux") return undefined;
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ") ?? [];
  // The fields 16 and 17, counted from the one after the name, which is field 3.
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}

export interface ProcessUsage {
  readonly seconds: number;
  /** False if only the process itself could be counted. */
  readonly hasChildren: boolean;
}

if (isMainThread) {
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    const children = childSeconds();
    const usage: ProcessUsage = {
      seconds: (user + system) / 1e6 + (children ?? 0),
      hasChildren: children !== undefined,
    };
    writeSync(reportDescriptor, `${JSON.stringify({ usage })}\n`);
  });
}
