/** Runs one process of `npm test`, and collects what it writes and reports. */
import { spawn } from "node:child_process";
import type { Readable, Stream } from "node:stream";
import type { ProcessUsage } from "./process-usage.ts";
import type { TestTask } from "./test-plan.ts";
import type { TestTally } from "./test-tally.ts";

export interface TaskResult {
  readonly task: TestTask;
  readonly isPassed: boolean;
  /**
   * Everything that it wrote. It is shown when the process has ended, so that the lines of two processes do not mix.
   */
  readonly output: string;
  readonly wallSeconds: number;
  /** Undefined if the process was killed. */
  readonly usage: ProcessUsage | undefined;
  readonly tally: TestTally | undefined;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export function runTask(task: TestTask, { cwd, env, signal }: RunOptions): Promise<TaskResult> {
  const startMs = performance.now();
  const child = spawn(process.execPath, task.args, {
    ...{ cwd, env, signal },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const output: string[] = [];
  const report: string[] = [];
  collect(child.stdio[1], output);
  collect(child.stdio[2], output);
  collect(child.stdio[3], report);
  return new Promise((resolve) => {
    child.on("error", (error) => output.push(`${error.message}\n`));
    child.on("close", (code) => {
      const { usage, tally } = parseReport(report.join(""));
      const wallSeconds = (performance.now() - startMs) / 1_000;
      resolve({ task, isPassed: code === 0, output: output.join(""), wallSeconds, usage, tally });
    });
  });
}

function collect(stream: Stream | null | undefined, parts: string[]): void {
  (stream as Readable).setEncoding("utf8").on("data", (text: string) => parts.push(text));
}

function parseReport(text: string): Partial<Pick<TaskResult, "usage" | "tally">> {
  const lines = text.split("\n").filter((line) => line !== "");
  return Object.assign({}, ...lines.map((line) => JSON.parse(line) as object)) as ReturnType<typeof parseReport>;
}
