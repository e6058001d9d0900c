import type { Clock } from "../../base/clock.ts";

/** Interval between two warnings. Any sender can cause them, so they must not fill the log. */
const warningMs = 60_000;
/** Maximum length of a text from a sender in a warning. */
const shownMax = 100;

interface DroppedRequestsOptions {
  readonly clock: Clock;
  readonly prefixes: readonly string[];
  readonly report: (message: string, cause: unknown) => void;
}

/** Reports requests that were dropped because of their reply address. */
export class DroppedRequests {
  readonly #options: DroppedRequestsOptions;
  #unreported = 0;
  #reportedMs = -Infinity;

  constructor(options: DroppedRequestsOptions) {
    this.#options = options;
  }

  record({ subject, reply }: { readonly subject: string; readonly reply: string }): void {
    const { clock, prefixes, report } = this.#options;
    this.#unreported += 1;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#reportedMs < warningMs) return;
    const count = this.#unreported;
    this.#reportedMs = nowMs;
    this.#unreported = 0;
    report(
      `${count === 1 ? "a request" : `${count} requests`} over NATS dropped, because the reply address is not below ` +
        `${prefixes.join(" or ")}: ${shown(subject)} with the reply address ${shown(reply)}. If its sender is ` +
        "trusted, let it use such an inbox, or add its prefix to nats_reply_prefixes",
      undefined,
    );
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);
}
