import type { Clock } from "../../base/clock.ts";

/** The longest that a timer can be set to. */
const longMs = 2 ** 31 - 1;

/**
 * Waits for the first SIGINT or SIGTERM, and keeps the process running until then. From there on a signal does what
 * it does to any program: whoever sends a second one wants an end, not a clean one.
 */
export function untilSignal(clock: Clock): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let cancel = stayUp();
    function stayUp(): () => void {
      return clock.after(longMs, () => (cancel = stayUp()), { keepAlive: true });
    }
    function stop(signal: NodeJS.Signals): void {
      process.off("SIGINT", stop).off("SIGTERM", stop);
      cancel();
      resolve(signal);
    }
    process.on("SIGINT", stop).on("SIGTERM", stop);
  });
}
