import { Worker } from "node:worker_threads";
import { checkLimits } from "./check-limits.ts";
import type { CheckOrder, CheckPort, CheckPortEvents, CheckReport } from "./check-port.ts";

/** The worker file next to this one, as source or as built. */
const workerUrl = new URL(`./check-worker${/\.[jt]s$/u.exec(import.meta.url)?.[0] ?? ".js"}`, import.meta.url);

/** The work that an order starts, or that a report ends. Undefined for other messages. */
function workOf(message: CheckOrder | CheckReport): string | undefined {
  switch (message.kind) {
    case "open":
    case "opened":
      return `check ${message.check}`;
    case "prepare":
    case "ask":
    case "result":
    case "failed":
    case "cancelled":
      return `job ${String(message.job)}`;
    default:
      return undefined;
  }
}

/**
 * Starts a thread. It keeps the program running while work is unfinished: a program that waits for a check alone must not
 * end before the result. An idle thread does not keep it running.
 */
export function openCheckThread(on: CheckPortEvents): CheckPort {
  const worker = new Worker(workerUrl, { resourceLimits: { maxOldGenerationSizeMb: checkLimits.heapMbMax } });
  let isOver = false;
  const end = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    on.broken(error);
  };
  const unfinished = new Set<string>();
  worker.on("message", (report: CheckReport) => {
    const ended = workOf(report);
    if (ended !== undefined) unfinished.delete(ended);
    // A thread that is being closed must keep the program running until it has ended.
    if (isOver) return;
    if (unfinished.size === 0) worker.unref();
    on.report(report);
  });
  worker.on("error", (error: Error) => {
    end(error);
  });
  worker.on("exit", (code) => {
    end(new Error(`the thread ended with exit code ${String(code)}`));
  });
  worker.unref();
  return {
    post(order) {
      const begun = order.kind === "cancel" ? undefined : workOf(order);
      if (begun !== undefined) {
        unfinished.add(begun);
        worker.ref();
      }
      worker.postMessage(order);
    },
    async usedMs() {
      const { user, system } = await worker.cpuUsage();
      return (user + system) / 1_000;
    },
    async close() {
      isOver = true;
      await worker.terminate();
    },
  };
}
