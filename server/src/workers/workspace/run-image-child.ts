/** Runs one request about an image in a process of its own. */
import { fork } from "node:child_process";
import type { ImageMessage, ImageRequest } from "./image-message.ts";

type ImageResult = Exclude<ImageMessage, { kind: "failed" | "progress" }>;

/** The image cannot be used, however often it is tried. */
export class ImageFault extends Error {
  override readonly name = "ImageFault";
}

interface ImageRun {
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Maximum memory of the JavaScript part of the process. Pixels are not in it. */
const heapMegabytes = 256;

/** The file of the process, as source or as built. */
const childFile = new URL(import.meta.url.endsWith(".ts") ? "./tile-worker.ts" : "./tile-worker.js", import.meta.url);

/** Resolves with the result. An abort kills the process at once, and rejects with the reason of the signal. */
export function runImageChild(request: ImageRequest, { signal, onProgress }: ImageRun): Promise<ImageResult> {
  signal.throwIfAborted();
  const child = fork(childFile, {
    // Of the environment it needs nothing: no token and no address.
    env: {},
    execArgv: [...process.execArgv, `--max-old-space-size=${String(heapMegabytes)}`],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  return new Promise((resolve, reject) => {
    let result: Exclude<ImageMessage, { kind: "progress" }> | undefined;
    const abort = (): void => {
      child.kill("SIGKILL");
    };
    signal.addEventListener("abort", abort, { once: true });
    child.on("message", (message: ImageMessage) => {
      if (message.kind === "progress") onProgress?.(message.done, message.total);
      else result = message;
    });
    child.once("error", reject);
    // The process must be gone before its folder is removed or published.
    child.once("close", (code, name) => {
      signal.removeEventListener("abort", abort);
      if (signal.aborted) reject(signal.reason as Error);
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
