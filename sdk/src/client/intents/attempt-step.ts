import type { ClientClock } from "../client-clock.ts";
import type { Intent } from "../packs/intent-operations.ts";
import type { Bridge, BridgeResult, BridgeStep } from "./bridge.ts";

/** Default maximum duration of a try. */
const defaultTimeoutMs = 600_000;

/** A try of a bridge took longer than its timeout. Its result is dropped, but its function may still run. */
class StepTimeoutError extends Error {
  override readonly name = "StepTimeoutError";
  readonly code = "step_timeout";
}

/** Runs one try of a bridge. It ends with the bridge, at its timeout, or as soon as a signal aborts. */
export async function attemptStep(
  clock: ClientClock,
  bridge: Bridge,
  intent: Intent,
  { signals, ...step }: Omit<BridgeStep, "signal"> & { readonly signals: readonly AbortSignal[] },
): Promise<BridgeResult> {
  const { timeoutMs = defaultTimeoutMs } = bridge;
  const timeout = new AbortController();
  const cancel = clock.after(
    timeoutMs,
    () => {
      timeout.abort(new StepTimeoutError(`bridge ${bridge.name} took longer than ${timeoutMs} ms`));
    },
    { keepAlive: true },
  );
  const signal = AbortSignal.any([...signals, timeout.signal]);
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => {
    aborted.reject(signal.reason as Error);
  };
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    const work = Promise.resolve(bridge.execute(intent, { ...step, signal }));
    return (await Promise.race([work, aborted.promise])) ?? {};
  } finally {
    cancel();
    signal.removeEventListener("abort", abort);
  }
}
