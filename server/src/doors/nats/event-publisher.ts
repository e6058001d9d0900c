/**
 * Publishes the events of the journal in order and exactly once, even if this process, the nats-server or the connection
 * fails. The stream itself contains the position to continue from. Any number of runtimes may publish at once.
 */
import { pause } from "@holdfast/sdk/base/pause";
import { meshHeaders } from "@holdfast/sdk/contract";
import type { Clock } from "../../base/clock.ts";
import { TailMovedError } from "./event-tail.ts";
import type { TailAddition, EventTail, TailState } from "./event-tail.ts";
import type { NatsLimits } from "./nats-limits.ts";
import { eventMessage, isAfter, formatEventPosition, fitToLimit } from "./mesh-event.ts";
import type { MeshEvent } from "./mesh-event.ts";
import type { EventPosition, EntryFeed, FeedEntry, PublishedErasure } from "./nats-door-options.ts";
import { Backoff } from "./backoff.ts";
import { NatsConfigError } from "./nats-config-error.ts";

export interface EventPublisherOptions {
  readonly tail: EventTail;
  readonly feed: EntryFeed;
  readonly clock: Clock;
  readonly limits: NatsLimits;
  readonly bytesMax: () => number;
  readonly publishAfter: number | undefined;
  /** A number from 0 to 1 that differs between runtimes, so that not all of them wake at once. */
  readonly rank: number;
  readonly newId: () => string;
  readonly stop: AbortSignal;
  /** Receives the number of published events. */
  readonly onPublished: (count: number) => void;
  /** Receives the erasures whose events were published. */
  readonly onErasures: (erasures: readonly PublishedErasure[]) => void;
}

/** Another runtime publishes and is ahead. */
class OvertakenError extends Error {
  override readonly name = "OvertakenError";
}

export class EventPublisher {
  readonly #options: EventPublisherOptions;
  /** The last addition. The next one waits for it, because both would expect the same tail. */
  #lastAddition: Promise<unknown> = Promise.resolve();
  #published: EventPosition | undefined;
  #done = 0;
  #startedAfter: number | undefined;

  constructor(options: EventPublisherOptions) {
    this.#options = options;
  }

  /** The last event in the stream that this runtime knows. */
  get published(): EventPosition | undefined {
    return this.#published;
  }

  /** The position after which this runtime started to publish. Undefined if it has not started. */
  get startedAfter(): number | undefined {
    return this.#startedAfter;
  }

  /** The position up to which all events are published. */
  get donePosition(): number {
    return Math.max(this.#done, this.#published?.position ?? 0);
  }

  /** Runs until it is stopped or fails. It can be run again afterwards. */
  async run(onReady: () => void): Promise<void> {
    const { stop } = this.#options;
    let state = await this.#refresh();
    while (!stop.aborted) {
      const from = await this.#resume(state);
      this.#startedAfter = from.position;
      onReady();
      try {
        await this.#follow(from);
      } catch (error) {
        if (!(error instanceof OvertakenError)) throw error;
        state = await this.#standBy();
      }
    }
  }

  /** Publishes an event again for a repeated command. The message is marked, and does not move the position. */
  async repeat(event: MeshEvent, position: number): Promise<void> {
    const headers = { [meshHeaders.position]: String(position), [meshHeaders.replayed]: "true" };
    const plain = { subject: event.name, text: JSON.stringify(event.data), headers };
    const message = fitToLimit(plain, this.#options.bytesMax(), event.data);
    const id = `again.${this.#options.newId()}`;
    const isErased = (): Promise<boolean> => this.#options.feed.isErased(position);
    await this.#serialize(() => this.#addWithRetry([{ id, message }], isErased));
  }

  #serialize<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#lastAddition.then(work, work);
    this.#lastAddition = done.catch(() => undefined);
    return done;
  }

  async #refresh(): Promise<TailState> {
    const state = await this.#serialize(() => this.#options.tail.refresh());
    this.#published = state.published;
    return state;
  }

  /** The position after which this journal continues the stream. */
  async #resume({ published, isWhole }: TailState): Promise<EventPosition> {
    const { publishAfter } = this.#options;
    const wholeEntry = { epoch: 0, index: Infinity };
    if (published === undefined) {
      if (!isWhole && publishAfter === undefined) {
        throw new NatsConfigError(
          "messages were deleted from the event stream, and no event with a position is left in it: set " +
            "nats_publish_after to the position after which to continue (0 publishes all events again)",
        );
      }
      return { ...wholeEntry, position: publishAfter ?? 0 };
    }
    const common = await this.#settledCommon(published);
    if (common === undefined) {
      throw new NatsConfigError(
        `the event stream contains epoch ${published.epoch}, which this journal does not have: the stream belongs to ` +
          "another journal, or this journal was not restored with `holdfast restore`",
      );
    }
    // The later events in the stream belong to a lost history. The events of this journal follow them.
    return common < published.position ? { ...wholeEntry, position: common } : published;
  }

  /**
   * The stream is ahead of this node. Either the node is behind, or the journal was rolled back and its new epoch has
   * not started. Only the next entries show which. After a rollback, a publisher that continued at the position of the
   * stream would omit all new events up to that position.
   */
  async #settledCommon(published: EventPosition): Promise<number | undefined> {
    const { feed, stop } = this.#options;
    for (;;) {
      const before = feed.head();
      const common = await feed.lastCommon(published);
      // The journal may have moved in either direction during the call.
      const head = Math.min(before, feed.head());
      if (common === undefined || common <= head || stop.aborted) return common;
      await this.#entryAfter(head);
    }
  }

  /** Waits until the journal has an entry after a position, or publishing is stopped. */
  async #entryAfter(position: number): Promise<void> {
    const { feed, stop } = this.#options;
    const pages = feed.entries(position);
    const end = (): void => void pages.return?.();
    stop.addEventListener("abort", end);
    try {
      await pages.next();
    } finally {
      stop.removeEventListener("abort", end);
      end();
    }
  }

  async #follow(from: EventPosition): Promise<void> {
    const { feed, stop } = this.#options;
    // An entry with unpublished events is read again.
    const pages = feed.entries(from.index === Infinity ? from.position : from.position - 1);
    const end = (): void => void pages.return?.();
    stop.addEventListener("abort", end);
    try {
      for await (const entries of pages) {
        if (stop.aborted) return;
        const additions = this.#additionsOf(entries).filter(({ eventPosition }) => isAfter(eventPosition, from));
        await this.#publish(additions);
        const erasures = entries.flatMap(({ erases, position: by }) =>
          erases === undefined ? [] : [{ position: erases, by }],
        );
        if (erasures.length > 0) this.#options.onErasures(erasures);
        this.#done = entries.at(-1)?.position ?? this.#done;
      }
    } finally {
      stop.removeEventListener("abort", end);
      end();
    }
  }

  #additionsOf(entries: readonly FeedEntry[]): readonly (TailAddition & { readonly eventPosition: EventPosition })[] {
    const bytesMax = this.#options.bytesMax();
    return entries.flatMap(({ epoch, position, events }) =>
      events.map((event, index) => {
        const eventPosition = { epoch, position, index };
        return {
          id: formatEventPosition(eventPosition),
          eventPosition,
          message: eventMessage(event, eventPosition, bytesMax),
        };
      }),
    );
  }

  async #publish(additions: readonly TailAddition[]): Promise<void> {
    const { publishAhead } = this.#options.limits;
    for (let from = 0; from < additions.length; from += publishAhead) {
      const batch = additions.slice(from, from + publishAhead);
      await this.#serialize(() => this.#addWithRetry(batch));
      this.#published = batch.at(-1)?.eventPosition ?? this.#published;
      this.#options.onPublished(batch.length);
    }
  }

  /**
   * Other programs may add messages concurrently. The publisher yields only to a runtime that publishes the same events.
   * Before it adds an event, the last event in the stream must be its own: otherwise the event could already be there.
   *
   * A repeated event is omitted if its payload is erased. The question comes after the tail was read. So if the event of
   * the erasure is in the stream, the answer knows the erasure; if it arrives later, the addition fails.
   */
  async #addWithRetry(additions: readonly TailAddition[], isErased?: () => Promise<boolean>): Promise<void> {
    const { tail, stop, clock, limits } = this.#options;
    const isEvents = additions.some(({ eventPosition }) => eventPosition !== undefined);
    const backoff = new Backoff(limits.backoff);
    while (!stop.aborted) {
      const { published } = tail.state ?? (await tail.refresh());
      if (isEvents && !isSame(published, this.#published)) throw new OvertakenError();
      if ((await isErased?.()) === true) return;
      try {
        await tail.add(additions);
        return;
      } catch (error) {
        if (!(error instanceof TailMovedError)) throw error;
      }
      await tail.refresh();
      if (isSame(tail.state?.published, published))
        await pause(clock, backoff.next(), { keepAlive: false, signal: stop });
    }
    throw new OvertakenError();
  }

  /** Waits while another runtime publishes. Returns when the stream stops growing, so that this runtime takes over. */
  async #standBy(): Promise<TailState> {
    const { clock, limits, stop, rank } = this.#options;
    for (;;) {
      const before = this.#published;
      await pause(clock, limits.standbyPollMs * (1 + rank), { keepAlive: false, signal: stop });
      const state = await this.#refresh();
      const { published } = state;
      if (stop.aborted || isSame(published, before)) return state;
    }
  }
}

function isSame(left: EventPosition | undefined, right: EventPosition | undefined): boolean {
  return left?.epoch === right?.epoch && left?.position === right?.position && left?.index === right?.index;
}
