import type { Clock } from "../../../base/clock.ts";

/** The longest that a timer can be set to. */
const longMs = 2 ** 31 - 1;

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
    stop();
    hear(signal);
  }
  process.on("SIGINT", heard).on("SIGTERM", heard);
  const signalled = new Promise<NodeJS.Signals>((resolve) => {
    hear = resolve;
  });
  return { signalled, stop };
}
