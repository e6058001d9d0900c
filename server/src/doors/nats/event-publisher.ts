/**
 * Publishes the journal's events in their order, each once, whatever stops in between: this process, the server, or the
 * connection. Where to go on is always asked of the stream itself, and any number of runtimes may do this at once.
 */
import { pause } from "@holdfast/sdk/base/pause";
import { meshHeaders } from "@holdfast/sdk/contract";
import type { Clock } from "../../base/clock.ts";
import { TailMovedError } from "./event-tail.ts";
import type { TailAddition, EventTail, TailState } from "./event-tail.ts";
import type { NatsLimits } from "./nats-limits.ts";
import { eventMessage, isAfter, formatEventPosition, fitToLimit } from "./mesh-event.ts";
import type { MeshEvent } from "./mesh-event.ts";
import type { EventPosition, EntryFeed, FeedEntry } from "./nats-door-options.ts";
import { Backoff } from "./backoff.ts";
import { NatsConfigError } from "./nats-config-error.ts";

export interface EventPublisherOptions {
  readonly tail: EventTail;
  readonly feed: EntryFeed;
  readonly clock: Clock;
  readonly limits: NatsLimits;
  readonly bytesMax: () => number;
  readonly publishAfter: number | undefined;
  /** Somewhere between 0 and 1, for this runtime: several that wait must not all wake at once. */
  readonly rank: number;
  readonly newId: () => string;
  readonly stop: AbortSignal;
  /** So many events were published. */
  readonly onPublished: (count: number) => void;
}

/** Somebody else publishes, and is further. */
class OvertakenError extends Error {
  override readonly name = "OvertakenError";
}

export class EventPublisher {
  readonly #options: EventPublisherOptions;
  /** Whoever adds to the stream waits for whoever adds already: both expect the same end. */
  #turn: Promise<unknown> = Promise.resolve();
  #published: EventPosition | undefined;
  #done = 0;

  constructor(options: EventPublisherOptions) {
    this.#options = options;
  }

  /** How far the stream goes, as far as this runtime knows. */
  get published(): EventPosition | undefined {
    return this.#published;
  }

  /** The position up to which nothing is left to publish. */
  get donePosition(): number {
    return Math.max(this.#done, this.#published?.position ?? 0);
  }

  /** Goes on until it is stopped, or something fails; then it can be run again. */
  async run(onReady: () => void): Promise<void> {
    const { stop } = this.#options;
    let state = await this.#look();
    while (!stop.aborted) {
      const from = await this.#resume(state);
      onReady();
      try {
        await this.#follow(from);
      } catch (error) {
        if (!(error instanceof OvertakenError)) throw error;
        state = await this.#standBy();
      }
    }
  }

  /** Tells an event once more, for whoever sent its command again; it is marked, and moves nothing. */
  async repeat(event: MeshEvent, position: number): Promise<void> {
    const headers = { [meshHeaders.position]: String(position), [meshHeaders.replayed]: "true" };
    const plain = { subject: event.name, text: JSON.stringify(event.data), headers };
    const message = fitToLimit(plain, this.#options.bytesMax(), event.data);
    const id = `again.${this.#options.newId()}`;
    await this.#inTurn(() => this.#addAgain([{ id, message }]));
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work, work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #look(): Promise<TailState> {
    const state = await this.#inTurn(() => this.#options.tail.refresh());
    this.#published = state.published;
    return state;
  }

  /** Where this journal goes on after what the stream has. */
  async #resume({ published, isWhole }: TailState): Promise<EventPosition> {
    const { publishAfter } = this.#options;
    const nothing = { epoch: 0, index: Infinity };
    if (published === undefined) {
      if (!isWhole && publishAfter === undefined) {
        throw new NatsConfigError(
          "something was taken out of the event stream, and none of its events is left to say how far it went: say with " +
            "nats_publish_after after which position to go on (0 publishes everything again)",
        );
      }
      return { ...nothing, position: publishAfter ?? 0 };
    }
    const common = await this.#settledCommon(published);
    if (common === undefined) {
      throw new NatsConfigError(
        `the event stream goes on to epoch ${published.epoch}, which this journal does not know: it belongs to another ` +
          "journal, or this one was not restored by Holdfast's own means",
      );
    }
    // What the stream has beyond that happened in a history that is lost; what happened instead follows.
    return common < published.position ? { ...nothing, position: common } : published;
  }

  /**
   * A stream that is ahead of this node: either the node is behind, or the journal went back and the epoch that says so has
   * not begun. Only the next entries tell. Who went on at the stream's place at once would leave out, in the second case, all
   * that happens up to that position.
   */
  async #settledCommon(published: EventPosition): Promise<number | undefined> {
    const { feed, stop } = this.#options;
    for (;;) {
      const before = feed.head();
      const common = await feed.lastCommon(published);
      // It may have gone on or back while it was asked.
      const head = Math.min(before, feed.head());
      if (common === undefined || common <= head || stop.aborted) return common;
      await this.#entryAfter(head);
    }
  }

  /** Until the journal goes on, or publishing is stopped. */
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
    // An entry of which only some events are published is read again.
    const pages = feed.entries(from.index === Infinity ? from.position : from.position - 1);
    const end = (): void => void pages.return?.();
    stop.addEventListener("abort", end);
    try {
      for await (const entries of pages) {
        if (stop.aborted) return;
        const additions = this.#additionsOf(entries).filter(({ eventPosition }) => isAfter(eventPosition, from));
        await this.#publish(additions);
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
      const some = additions.slice(from, from + publishAhead);
      await this.#inTurn(() => this.#addAgain(some));
      this.#published = some.at(-1)?.eventPosition ?? this.#published;
      this.#options.onPublished(some.length);
    }
  }

  /**
   * Messages of others may come in between; only whoever publishes the same events is a reason to stand back. Before an
   * event is added, the stream must end where this runtime has left it: else it could be there already.
   */
  async #addAgain(additions: readonly TailAddition[]): Promise<void> {
    const { tail, stop, clock, limits } = this.#options;
    const isEvents = additions.some(({ eventPosition }) => eventPosition !== undefined);
    const backoff = new Backoff(limits.backoff);
    while (!stop.aborted) {
      const { published } = tail.state ?? (await tail.refresh());
      if (isEvents && !isSame(published, this.#published)) throw new OvertakenError();
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

  /** Somebody else publishes. As long as the stream goes on, that is enough; once it does not, this runtime tries. */
  async #standBy(): Promise<TailState> {
    const { clock, limits, stop, rank } = this.#options;
    for (;;) {
      const before = this.#published;
      await pause(clock, limits.standbyPollMs * (1 + rank), { keepAlive: false, signal: stop });
      const state = await this.#look();
      const { published } = state;
      if (stop.aborted || isSame(published, before)) return state;
    }
  }
}

function isSame(one: EventPosition | undefined, other: EventPosition | undefined): boolean {
  return one?.epoch === other?.epoch && one?.position === other?.position && one?.index === other?.index;
}
