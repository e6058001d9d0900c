import type { Clock } from "../../../base/clock.ts";

/** The longest that a timer can be set to. */
const longMs = 2 ** 31 - 1;

/** Interval after Ctrl+C in which the same signal is the one that npm forwards: the terminal sends it to both. */
const forwardedMs = 500;

/**
 * Waits for the first SIGINT or SIGTERM, and keeps the process running until then. From there on a signal does what
 * it does to any program: whoever sends a second one wants an end, not a clean one.
 */
export function untilSignal(clock: Clock): Promise<NodeJS.Signals> {
  return listenForSignal(clock).signalled;
}

/** The same for whoever may be done before: `stop` listens no more, and the process may end. */
export function listenForSignal(clock: Clock): {
  readonly signalled: Promise<NodeJS.Signals>;
  readonly stop: () => void;
} {
  let cancel = stayUp();
  function stayUp(): () => void {
    return clock.after(longMs, () => (cancel = stayUp()), { keepAlive: true });
  }
  let hear: (signal: NodeJS.Signals) => void = () => undefined;
  const stop = (): void => {
    process.off("SIGINT", heard).off("SIGTERM", heard);
    cancel();
  };
  function heard(signal: NodeJS.Signals): void {
    // Before the other listeners go: without any listener a signal ends the process.
    if (signal === "SIGINT") ignoreForwarded(clock);
    stop();
    hear(signal);
  }
  process.on("SIGINT", heard).on("SIGTERM", heard);
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    hear = resolve;
  });
  return { signalled, stop };
}

function ignoreForwarded(clock: Clock): void {
  const ignore = (): void => undefined;
  process.on("SIGINT", ignore);
  clock.after(forwardedMs, () => process.off("SIGINT", ignore), { keepAlive: false });
}
