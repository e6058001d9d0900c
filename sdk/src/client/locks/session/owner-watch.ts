import type { ClientClock } from "../../client-clock.ts";
import { HoldfastError } from "../../holdfast-error.ts";
import { IdleTimer } from "../../idle-timer.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import type { Transport, WatchedEvent } from "../../transport.ts";

export interface OwnerWatchOptions {
  readonly transport: Transport;
  readonly clock: ClientClock;
  readonly owner: string;
  readonly onEvent: (event: WatchedEvent) => void;
  /** The stream was cut: what an event would have told may have to be asked for. */
  readonly onGap: () => void;
  /** Whether somebody waits for an event: then the process must not end because the server is away. */
  readonly isAwaited: () => boolean;
}

const delays = { baseMs: 100, capMs: 5_000 };

/** Follows what concerns one owner, from a cursor on, for as long as it is wanted; it goes on where it was cut. */
export class OwnerWatch {
  readonly #options: OwnerWatchOptions;
  #cursor: string;
  #pages: AsyncIterator<readonly WatchedEvent[]> | undefined;
  #isStopped = false;
  #isHeard = false;
  #pausing: IdleTimer | undefined;

  constructor(options: OwnerWatchOptions, cursor: string) {
    this.#options = options;
    this.#cursor = cursor;
    void this.#follow();
  }

  /** False while nothing would be heard of a loss: before the server has begun to tell, or since it refused to. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** Somebody waits for an event from now on: the process must not end before the server is asked again. */
  keepAlive(): void {
    this.#pausing?.keepAlive();
  }

  stop(): void {
    this.#isStopped = true;
    this.#pausing?.cancel();
    void this.#pages?.return?.().catch(() => undefined);
  }

  async #follow(): Promise<void> {
    let failed = 0;
    while (!this.#isStopped) {
      const before = this.#cursor;
      const isLost = await this.#readOn();
      if (this.#ended()) return;
      failed = before === this.#cursor ? failed + 1 : 1;
      await this.#pause(failed);
      if (isLost) await this.#startAnew();
      this.#options.onGap();
    }
  }

  /** Reads until the stream ends or breaks; true if there is nothing to go on from. */
  async #readOn(): Promise<boolean> {
    const { transport, owner, onEvent } = this.#options;
    try {
      const onWatching = (): void => void (this.#isHeard = true);
      this.#pages = transport.watch({ owner, after: this.#cursor, onWatching });
      for (;;) {
        const page = await this.#pages.next();
        if (page.done === true || this.#isStopped) return false;
        for (const event of page.value) {
          this.#cursor = event.cursor;
          onEvent(event);
        }
      }
    } catch (error) {
      return error instanceof HoldfastError && error.code.startsWith("cursor_");
    } finally {
      this.#isHeard = false;
    }
  }

  /** History went back: what was before the new cursor is asked for. */
  async #startAnew(): Promise<void> {
    try {
      this.#cursor = await this.#options.transport.cursor();
    } catch {
      // Not reachable now; the next round finds out.
    }
  }

  #pause(failed: number): Promise<void> {
    const { clock, isAwaited } = this.#options;
    return new Promise((resolve) => {
      const delayMs = backoffMs(delays, failed, clock.random());
      this.#pausing = new IdleTimer(clock, delayMs, resolve, { keepAlive: isAwaited() });
    });
  }

  #ended(): boolean {
    return this.#isStopped;
  }
}
