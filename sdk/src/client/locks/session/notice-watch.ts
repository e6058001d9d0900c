import type { Notice } from "../../../contract/notices.ts";
import type { ClientClock } from "../../client-clock.ts";
import { pause } from "../../../base/pause.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import type { Transport } from "../../transport.ts";

export interface NoticeWatchOptions {
  readonly transport: Transport;
  readonly clock: ClientClock;
  readonly owner: () => string;
  readonly onNotice: (notice: Notice) => void;
}

const delays = { baseMs: 100, capMs: 5_000 };

/** Listens for an owner while somebody wants to know its place or the end of its leases, and costs nothing otherwise. */
export class NoticeWatch {
  readonly #options: NoticeWatchOptions;
  #pages: AsyncIterator<readonly Notice[]> | undefined;
  #isWanted = false;
  #isRunning = false;

  constructor(options: NoticeWatchOptions) {
    this.#options = options;
  }

  /** Says whether anybody wants to know. */
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
      // What a notice tells can be asked for too, and is with every heartbeat; so there is no hurry.
      if (this.#isStillWanted())
        await pause(clock, backoffMs(delays, failed + 1, clock.random()), { keepAlive: false });
    }
    this.#isRunning = false;
  }

  /** Listens until it ends or breaks; true if anything was heard. */
  async #listen(): Promise<boolean> {
    const { transport, owner, onNotice } = this.#options;
    let hasHeard = false;
    try {
      const pages = transport.notices({ owner: owner() });
      this.#pages = pages;
      for (;;) {
        const page = await pages.next();
        if (page.done === true || this.#pages !== pages) return hasHeard;
        hasHeard = true;
        for (const notice of page.value) onNotice(notice);
      }
    } catch {
      return hasHeard;
    }
  }

  #isStillWanted(): boolean {
    return this.#isWanted;
  }
}
