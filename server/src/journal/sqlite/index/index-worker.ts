/** The thread that writes index.db. It obeys orders between the steps that fill the filter, and ends at the order to close. */
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { openIndexBuilder } from "./index-builder.ts";
import type { IndexOrder, IndexReport } from "./index-thread.ts";

const port = parentPort;
if (port === null) throw new Error("This file runs in a thread only.");
const builder = openIndexBuilder(workerData as string);
/** Changed by the orders that the loop below obeys. */
const progress = { isFilled: false, isClosed: false };

function report(message: IndexReport): void {
  port?.postMessage(message);
}

function obey(order: IndexOrder): void {
  if (order.kind === "close") {
    progress.isClosed = true;
    builder.close();
    port?.close();
    return;
  }
  try {
    builder.flush(order.target);
    report({ kind: "flushed", filter: progress.isFilled ? builder.filter.buffers() : undefined });
  } catch (error) {
    report({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  }
}

for (const _step of builder.fillFilter()) {
  const next = receiveMessageOnPort(port) as { readonly message: IndexOrder } | undefined;
  if (next !== undefined) obey(next.message);
  if (progress.isClosed) break;
}
if (!progress.isClosed) {
  progress.isFilled = true;
  report({ kind: "filled", filter: builder.filter.buffers() });
  port.on("message", obey);
}
