/**
 * Removes erased payloads from the event stream. A message is deleted after the event of its erasure is in the stream.
 * So the last message, which holds the position of publishing, is never deleted. From that event on, no runtime adds a
 * message with the payload: runtimes publish in order, and repeat no event of an erased entry.
 */
import { AckPolicy, DeliverPolicy } from "@nats-io/jetstream";
import type { Consumer, JetStreamManager, JsMsg } from "@nats-io/jetstream";
import { pause } from "@holdfast/sdk/base/pause";
import { meshHeaders } from "@holdfast/sdk/contract";
import type { Clock } from "../../base/clock.ts";
import type { Ids } from "../../base/ids.ts";
import type { EventTail } from "./event-tail.ts";
import type { EntryFeed, PublishedErasure } from "./nats-door-options.ts";
import type { NatsLimits } from "./nats-limits.ts";
import { nanos } from "./streams.ts";

interface StreamEraserOptions {
  readonly feed: EntryFeed;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: NatsLimits;
  /** The current failures of the door. */
  readonly faults: () => readonly string[];
}

/** The access to the event stream over one connection. */
interface EventStreamAccess {
  readonly jsm: JetStreamManager;
  readonly stream: string;
  readonly tail: EventTail;
  readonly isConnected: () => boolean;
  /** The position after which this runtime publishes, if the stream has no position. Undefined if it does not publish. */
  readonly publishesAfter: () => number | undefined;
}

/** The time after which the nats-server deletes a consumer that a killed runtime left. */
const inactiveMs = 60_000;

export class StreamEraser {
  readonly #options: StreamEraserOptions;
  /** Erasures whose event this runtime published, until their payload is removed from the stream. */
  readonly #published = new Map<number, PublishedErasure>();
  #access: EventStreamAccess | undefined;

  constructor(options: StreamEraserOptions) {
    this.#options = options;
  }

  /** Sets the connection. Undefined while there is none. */
  use(access: EventStreamAccess | undefined): void {
    this.#access = access;
  }

  get published(): readonly PublishedErasure[] {
    return [...this.#published.values()];
  }

  add(published: readonly PublishedErasure[]): void {
    for (const erasure of published) this.#published.set(erasure.by, erasure);
  }

  /** Removes the payloads of erased entries from the stream. Throws an error with the reason if some may remain. */
  async remove(erasures: readonly PublishedErasure[]): Promise<void> {
    try {
      await this.#remove(erasures);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `the event stream may still contain the payload (${reason}); Holdfast removes it when NATS works again`,
        { cause: error },
      );
    }
  }

  async #remove(erasures: readonly PublishedErasure[]): Promise<void> {
    const { access, last } = await this.#untilPublished(Math.max(...erasures.map(({ by }) => by)));
    const epochs = new Map<string, string>();
    for (const { position } of erasures)
      epochs.set(String(position), String(await this.#options.feed.epochAt(position)));
    for (const sequence of await this.#find(access, last, (message) => holdsEventOf(message, epochs))) {
      await deleteMessage(access, sequence);
    }
    for (const { by } of erasures) this.#published.delete(by);
  }

  /** Waits until the event of the erasure is in the stream. Returns the last sequence at that time. */
  async #untilPublished(by: number): Promise<{ readonly access: EventStreamAccess; readonly last: number }> {
    const { clock, limits, faults } = this.#options;
    const untilMs = clock.monotonicMs() + limits.erasureWaitMs;
    for (;;) {
      const access = this.#access;
      if (access?.isConnected() === false) throw new Error("the nats-server is not connected");
      const { reached, last } = access === undefined ? {} : await this.#progressOf(access);
      if (access !== undefined && last !== undefined && reached !== undefined && reached >= by) return { access, last };
      const [fault] = faults();
      // Other erasures wait for this one, so it does not wait for a failing publisher.
      if (access === undefined && fault !== undefined) throw new Error(fault);
      if (clock.monotonicMs() >= untilMs) {
        throw new Error(fault ?? `it is at position ${reached ?? "unknown"}, before the erasure at ${by}`);
      }
      await pause(clock, limits.erasurePollMs, { keepAlive: false });
    }
  }

  /** The position that the stream has reached in the history of this journal, and its last sequence. */
  async #progressOf({ tail, publishesAfter }: EventStreamAccess): Promise<{
    readonly reached?: number | undefined;
    readonly last?: number;
  }> {
    const { published, sequence: last } = await tail.refresh();
    if (published === undefined) return { reached: publishesAfter(), last };
    return { reached: await this.#options.feed.lastCommon(published), last };
  }

  /** Reads the headers of all messages up to a sequence. */
  async #find(
    { jsm, stream }: EventStreamAccess,
    last: number,
    isWanted: (message: JsMsg) => boolean,
  ): Promise<readonly number[]> {
    const name = `holdfast-erasure-${this.#options.ids.unique()}`;
    const { num_pending: count } = await jsm.consumers.add(stream, {
      ...{ name, ack_policy: AckPolicy.None, deliver_policy: DeliverPolicy.All, headers_only: true },
      ...{ mem_storage: true, num_replicas: 1, inactive_threshold: nanos(inactiveMs) },
    });
    try {
      if (count === 0) return [];
      return await this.#read(await jsm.jetstream().consumers.get(stream, name), last, isWanted);
    } finally {
      // If this fails, the nats-server deletes the consumer later.
      await jsm.consumers.delete(stream, name).catch(() => undefined);
    }
  }

  async #read(consumer: Consumer, last: number, isWanted: (message: JsMsg) => boolean): Promise<readonly number[]> {
    const { scanAhead, publishTimeoutMs } = this.#options.limits;
    const found: number[] = [];
    for (;;) {
      let isEmpty = true;
      const messages = await consumer.fetch({ max_messages: scanAhead, expires: Math.max(publishTimeoutMs, 1_000) });
      for await (const message of messages) {
        isEmpty = false;
        if (isWanted(message)) found.push(message.seq);
        if (message.seq >= last || message.info.pending === 0) return found;
      }
      // The remaining messages may have been deleted in the meantime.
      if (isEmpty && (await consumer.info()).num_pending === 0) return found;
      if (isEmpty) throw new Error("the nats-server does not send its messages");
    }
  }
}

/** Whether a message has an event of one of these positions, in their epochs. A repeated event has no epoch. */
function holdsEventOf({ headers }: JsMsg, epochs: ReadonlyMap<string, string>): boolean {
  const epoch = epochs.get(headers?.get(meshHeaders.position) ?? "");
  const published = headers?.get(meshHeaders.epoch) ?? "";
  return epoch !== undefined && (published === "" || published === epoch);
}

/** The nats-server overwrites the message. Another runtime may have deleted it before. */
async function deleteMessage({ jsm, stream }: EventStreamAccess, seq: number): Promise<void> {
  try {
    await jsm.streams.deleteMessage(stream, seq, true);
  } catch (error) {
    if ((await jsm.streams.getMessage(stream, { seq })) !== null) throw error;
  }
}
