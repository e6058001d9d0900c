import type { OwnerNotice } from "../../operation-output.ts";
import type { ClientClock } from "../../client-clock.ts";
import { pause } from "../../../base/pause.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import type { CallSender } from "../../transport/call-sender.ts";

interface NoticeWatchOptions {
  readonly caller: Pick<CallSender, "notices">;
  readonly clock: ClientClock;
  readonly owner: () => string;
  readonly onNotice: (notice: OwnerNotice) => void;
}

const delays = { baseMs: 100, capMs: 5_000 };

/**
 * Watches the notices of an owner while a listener wants places or expiring leases. Without listeners it costs nothing.
 */
export class NoticeWatch {
  readonly #options: NoticeWatchOptions;
  #pages: AsyncIterator<readonly OwnerNotice[]> | undefined;
  #isWanted = false;
  #isRunning = false;

  constructor(options: NoticeWatchOptions) {
    this.#options = options;
  }

  /** Whether there is a listener. */
  want(isWanted: boolean): void {
    this.#isWanted = isWanted;
    if (!isWanted) {
      const pages = this.#pages;
      this.#pages = undefined;
      void pages?.return?.().catch(() => undefined);
    } else if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    this.#isRunning = true;
    for (let failed = 1; this.#isWanted; failed += 1) {
      if (await this.#listen()) failed = 0;
      // Heartbeats read the same data, so reconnecting is not urgent.
      if (this.#needsRetry()) await pause(clock, backoffMs(delays, failed + 1, clock.random()), { keepAlive: false });
    }
    this.#isRunning = false;
  }

  /** Watches until the stream ends or breaks. Returns true if a notice arrived. */
  async #listen(): Promise<boolean> {
    const { caller, owner, onNotice } = this.#options;
    let hasNotice = false;
    try {
      const pages = caller.notices({ owner: owner() });
      this.#pages = pages;
      for (;;) {
        const page = await pages.next();
        if (page.done === true || this.#pages !== pages) return hasNotice;
        hasNotice = true;
        for (const notice of page.value) onNotice(notice);
      }
    } catch {
      return hasNotice;
    }
  }

  #needsRetry(): boolean {
    return this.#isWanted;
  }
}
