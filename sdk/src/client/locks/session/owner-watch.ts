import type { ClientClock } from "../../client-clock.ts";
import { HoldfastError } from "../../holdfast-error.ts";
import { IdleTimer } from "../../transport/idle-timer.ts";
import { backoffMs } from "../../../base/backoff-ms.ts";
import type { Transport, WatchedEvent } from "../../transport/transport.ts";

interface OwnerWatchOptions {
  readonly transport: Transport;
  readonly clock: ClientClock;
  readonly owner: string;
  readonly onEvent: (event: WatchedEvent) => void;
  /** The stream was interrupted: events may be missing, so the state must be read. */
  readonly onGap: () => void;
  /** Whether a task waits for an event. Then the process must not end while the server is away. */
  readonly isAwaited: () => boolean;
}

const delays = { baseMs: 100, capMs: 5_000 };

/** Follows the events of one owner from a cursor while they are needed. It resumes after an interruption. */
export class OwnerEventWatch {
  readonly #options: OwnerWatchOptions;
  #cursor: string;
  #pages: AsyncIterator<readonly WatchedEvent[]> | undefined;
  #isStopped = false;
  #isWatching = false;
  #pauseTimer: IdleTimer | undefined;

  constructor(options: OwnerWatchOptions, cursor: string) {
    this.#options = options;
    this.#cursor = cursor;
    void this.#follow();
  }

  /** False while the event of a loss would not arrive: before the server has started the watch, or after it refused. */
  get isWatching(): boolean {
    return this.#isWatching;
  }

  /** A task waits for an event: the process must not end before the next attempt. */
  keepAlive(): void {
    this.#pauseTimer?.keepAlive();
  }

  stop(): void {
    this.#isStopped = true;
    this.#pauseTimer?.cancel();
    void this.#pages?.return?.().catch(() => undefined);
  }

  async #follow(): Promise<void> {
    let failed = 0;
    while (!this.#isStopped) {
      const before = this.#cursor;
      const isLost = await this.#readPages();
      if (this.#ended()) return;
      failed = before === this.#cursor ? failed + 1 : 1;
      await this.#pause(failed);
      if (isLost) await this.#resetCursor();
      this.#options.onGap();
    }
  }

  /** Reads until the stream ends or breaks. Returns true if there is no cursor to resume from. */
  async #readPages(): Promise<boolean> {
    const { transport, owner, onEvent } = this.#options;
    try {
      const onWatching = (): void => void (this.#isWatching = true);
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
      this.#isWatching = false;
    }
  }

  /** History went back: the state before the new cursor must be read. */
  async #resetCursor(): Promise<void> {
    try {
      this.#cursor = await this.#options.transport.cursor();
    } catch {
      // Unreachable at the moment. The next round tries again.
    }
  }

  #pause(failed: number): Promise<void> {
    const { clock, isAwaited } = this.#options;
    return new Promise((resolve) => {
      const delayMs = backoffMs(delays, failed, clock.random());
      this.#pauseTimer = new IdleTimer(clock, delayMs, resolve, { keepAlive: isAwaited() });
    });
  }

  #ended(): boolean {
    return this.#isStopped;
  }
}
