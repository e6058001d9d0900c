/** Runs one request about an image in a process of its own. */
import { fork } from "node:child_process";
import { systemClock } from "../../base/clock.ts";
import { imageLimits } from "./image-message.ts";
import type { ImageMessage, ImageRequest } from "./image-message.ts";

type ImageResult = Exclude<ImageMessage, { kind: "failed" | "progress" }>;

/** The image cannot be used, however often it is tried. */
export class ImageFault extends Error {
  override readonly name = "ImageFault";
}

interface ImageRun {
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
  /** Maximum time of the process. Tests reduce it. */
  readonly limitMs?: number;
}

/** Maximum memory of the JavaScript part of the process. Pixels are not in it. */
const heapMegabytes = 256;

/** The file of the process, as source or as built. */
const childFile = new URL(import.meta.url.endsWith(".ts") ? "./tile-worker.ts" : "./tile-worker.js", import.meta.url);

/**
 * Resolves with the result. An abort kills the process at once, and rejects with the reason of the signal. A process that
 * takes too long is killed too, because it would keep a slot of its worker forever.
 */
export function runImageChild(request: ImageRequest, run: ImageRun): Promise<ImageResult> {
  const { signal, onProgress, limitMs = imageLimits.workMs } = run;
  signal.throwIfAborted();
  const child = fork(childFile, {
    // Of the environment it needs nothing: no token and no address.
    env: {},
    execArgv: [...process.execArgv, `--max-old-space-size=${String(heapMegabytes)}`],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  return new Promise((resolve, reject) => {
    let result: Exclude<ImageMessage, { kind: "progress" }> | undefined;
    let isLate = false;
    const abort = (): void => {
      child.kill("SIGKILL");
    };
    const late = (): void => {
      isLate = true;
      child.kill("SIGKILL");
    };
    const cancel = systemClock.after(limitMs, late, { keepAlive: false });
    signal.addEventListener("abort", abort, { once: true });
    child.on("message", (message: ImageMessage) => {
      if (message.kind === "progress") onProgress?.(message.done, message.total);
      else result = message;
    });
    child.once("error", reject);
    // The process must be gone before its folder is removed or published.
    child.once("close", (code, name) => {
      cancel();
      signal.removeEventListener("abort", abort);
      if (signal.aborted) reject(signal.reason as Error);
      else if (isLate && result === undefined) reject(lateError(request, limitMs));
      else if (result === undefined)
        reject(new Error(`the process for images ended: ${name ?? `exit code ${String(code)}`}`));
      else if (result.kind !== "failed") resolve(result);
      else reject(result.isBroken ? new ImageFault(result.reason) : new Error(result.reason));
    });
    child.send(request, (error) => {
      if (error !== null) child.kill("SIGKILL");
    });
  });
}

/** Another attempt may succeed on a host that is less busy. */
function lateError({ kind }: ImageRequest, limitMs: number): Error {
  const seconds = String(limitMs / 1_000);
  const next = "retry the job on a faster host, or import the image again with fewer pixels or in another format";
  return new Error(`the process for images did not finish ${kind} in ${seconds} seconds and was killed: ${next}`);
}
