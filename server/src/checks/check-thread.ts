import { Worker } from "node:worker_threads";
import { checkLimits } from "./check-limits.ts";
import type { CheckPort, CheckPortEvents, CheckReport } from "./check-port.ts";

/** The worker file next to this one, as source or as built. */
const workerUrl = new URL(`./check-worker${/\.[jt]s$/u.exec(import.meta.url)?.[0] ?? ".js"}`, import.meta.url);

/** Starts a thread. It does not keep an otherwise finished program running. */
export function openCheckThread(on: CheckPortEvents): CheckPort {
  const worker = new Worker(workerUrl, { resourceLimits: { maxOldGenerationSizeMb: checkLimits.heapMbMax } });
  let isOver = false;
  const end = (error: Error): void => {
    if (isOver) return;
    isOver = true;
    on.broken(error);
  };
  worker.on("message", (report: CheckReport) => {
    if (!isOver) on.report(report);
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
