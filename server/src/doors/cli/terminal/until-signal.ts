import type { Clock } from "../../../base/clock.ts";

/** Maximum delay of a timer. */
const timerMaxMs = 2 ** 31 - 1;

/** Interval after Ctrl+C in which a second SIGINT is ignored. The terminal sends SIGINT to npm too, and npm forwards it. */
const forwardedMs = 500;

/**
 * Waits for the first SIGINT or SIGTERM, and keeps the process running until then. A second signal has its default effect:
 * it ends the process immediately.
 */
export function untilSignal(clock: Clock): Promise<NodeJS.Signals> {
  return listenForSignal(clock).signalled;
}

/** Like `untilSignal`, with `stop` to remove the listeners and let the process end without a signal. */
export function listenForSignal(clock: Clock): {
  readonly signalled: Promise<NodeJS.Signals>;
  readonly stop: () => void;
} {
  let cancel = stayUp();
  function stayUp(): () => void {
    return clock.after(timerMaxMs, () => (cancel = stayUp()), { keepAlive: true });
  }
  let resolveSignal: (signal: NodeJS.Signals) => void = () => undefined;
  const stop = (): void => {
    process.off("SIGINT", onSignal).off("SIGTERM", onSignal);
    cancel();
  };
  function onSignal(signal: NodeJS.Signals): void {
    // This listener is added before the others are removed, because a signal without a listener ends the process.
    if (signal === "SIGINT") ignoreForwarded(clock);
    stop();
    resolveSignal(signal);
  }
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    resolveSignal = resolve;
  });
  return { signalled, stop };
}

function ignoreForwarded(clock: Clock): void {
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  clock.after(forwardedMs, () => process.off("SIGINT", ignore), { keepAlive: false });
}
