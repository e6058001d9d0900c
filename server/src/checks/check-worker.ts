/** The thread of checks. It imports the modules of checks, so a fault in one of them never stops the server. */
import { setPriority } from "node:os";
import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { systemClock } from "../base/clock.ts";
import type { CreateCheckWork } from "./check.ts";
import type { CheckOrder } from "./check-port.ts";
import { CheckWorkLoop } from "./check-work-loop.ts";

/**
 * The priority of this thread, below that of the server. Only Linux lowers the priority of one thread alone. With 10 a busy
 * host left a check no time before its deadline.
 */
const priority = 5;

if (process.platform === "linux") {
  try {
    setPriority(0, priority);
  } catch {
    // A sandbox may forbid it. Checks then compete with the server for the processor.
  }
}

const loop: CheckWorkLoop = new CheckWorkLoop({
  clock: systemClock,
  open: async ({ module, options }) => {
    const { createCheckWork } = (await import(module)) as { readonly createCheckWork: CreateCheckWork };
    return createCheckWork(options, loop.pause);
  },
  receive: () => {
    if (parentPort === null) return undefined;
    return (receiveMessageOnPort(parentPort) as { readonly message: CheckOrder } | undefined)?.message;
  },
  processorMs: () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
  report: (report) => {
    parentPort?.postMessage(report);
  },
});

parentPort?.on("message", (order: CheckOrder) => {
  loop.take(order);
});
