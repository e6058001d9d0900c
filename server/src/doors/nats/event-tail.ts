/**
 * The tail of the event stream. Holdfast adds messages only through this class. The nats-server accepts a message only if
 * the stream still ends where this runtime expects. If several runtimes publish the same event, exactly one succeeds. A
 * message whose acknowledgement was lost is never stored twice. Each message contains the position that the stream has
 * reached, so that a new runtime reads in the last message where to continue.
 */
import { JetStreamApiError } from "@nats-io/jetstream";
import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import { headers as newHeaders } from "@nats-io/transport-node";
import { defined } from "@holdfast/sdk/base/defined";
import { meshHeaders } from "@holdfast/sdk/contract";
import type { NatsLimits } from "./nats-limits.ts";
import { formatEventPosition, parseEventPosition } from "./mesh-event.ts";
import type { OutgoingMessage } from "./mesh-event.ts";
import type { EventPosition } from "./nats-door-options.ts";
import { NatsConfigError } from "./nats-config-error.ts";

/** Another writer added a message. */
export class TailMovedError extends Error {
  override readonly name = "TailMovedError";
}

export interface TailState {
  /** The sequence of the last message that was ever in the stream. */
  readonly sequence: number;
  /** The position of the last event. Undefined if the stream contains no event of Holdfast. */
  readonly published: EventPosition | undefined;
  /** No message was ever deleted from the stream. */
  readonly isWhole: boolean;
}

/** A message to add: an event with its position, or a repeated event without one. */
export interface TailAddition {
  /** A unique id. The next message of the same batch expects it. */
  readonly id: string;
  readonly message: OutgoingMessage;
  readonly eventPosition?: EventPosition;
}

interface EventTailOptions {
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly stream: string;
  readonly limits: NatsLimits;
}

interface ExpectedTail {
  readonly lastSequence: number;
  readonly lastMsgID: string | undefined;
  /** The position that the stream reaches with the message. */
  readonly reached: EventPosition | undefined;
}

/** Error codes of the nats-server for an unexpected tail, by message id and by sequence. */
const tailMovedCodes = new Set([10_070, 10_071]);

export class EventTail {
  readonly #options: EventTailOptions;
  #state: TailState | undefined;

  constructor(options: EventTailOptions) {
    this.#options = options;
  }

  /** The state after the last refresh or addition. */
  get state(): TailState | undefined {
    return this.#state;
  }

  async refresh(): Promise<TailState> {
    const { jsm, stream } = this.#options;
    const { state } = await jsm.streams.info(stream);
    const published = await this.#publishedAt(state.last_seq, state.first_seq);
    this.#state = { sequence: state.last_seq, published, isWhole: state.first_seq <= 1 };
    return this.#state;
  }

  /**
   * Adds messages in order, with many in flight at once. Each message expects the previous one by sequence and by id. After
   * a failed message no later one is stored, not even late from an abandoned connection. After a failure, a refresh shows
   * which messages were stored.
   */
  async add(additions: readonly TailAddition[]): Promise<void> {
    const { publishAhead } = this.#options.limits;
    for (let from = 0; from < additions.length; from += publishAhead) {
      const { sequence, published, isWhole } = this.#state ?? (await this.refresh());
      const batch = additions.slice(from, from + publishAhead);
      this.#state = undefined;
      let reached = published;
      const sent = batch.map((addition, index) => {
        reached = addition.eventPosition ?? reached;
        return this.#send(addition, { lastSequence: sequence + index, lastMsgID: batch[index - 1]?.id, reached });
      });
      const results = await Promise.allSettled(sent);
      const failure = results.find((result) => result.status === "rejected");
      if (failure !== undefined) throw asTailError(failure.reason);
      this.#state = { sequence: sequence + batch.length, published: reached, isWhole };
    }
  }

  async #send({ id, message }: TailAddition, after: ExpectedTail): Promise<void> {
    const { js, limits, stream } = this.#options;
    const { lastSequence, lastMsgID, reached } = after;
    const list = newHeaders();
    for (const [name, value] of Object.entries(message.headers)) list.set(name, value);
    if (reached !== undefined) list.set(meshHeaders.published, formatEventPosition(reached));
    const expect = { lastSequence, streamName: stream, ...defined({ lastMsgID }) };
    const options = { msgID: id, headers: list, expect, timeout: limits.publishTimeoutMs };
    const { duplicate, seq } = await js.publish(message.subject, message.text, options);
    // Another runtime has already added the same event.
    if (duplicate || seq !== lastSequence + 1)
      throw new TailMovedError(`the event ${id} is already stored at sequence ${seq}`);
  }

  /** Finds the last message of Holdfast. Other programs may publish to the same subjects, without a position. */
  async #publishedAt(last: number, first: number): Promise<EventPosition | undefined> {
    const { jsm, stream, limits } = this.#options;
    const end = Math.max(first, last - limits.foreignMessagesMax + 1, 1);
    for (let seq = last; seq >= end; seq -= 1) {
      const message = await jsm.streams.getMessage(stream, { seq });
      const text = message?.header.get(meshHeaders.published) ?? "";
      const found = text === "" ? undefined : parseEventPosition(text);
      if (found !== undefined) return found;
    }
    if (end === Math.max(first, 1)) return undefined;
    throw new NatsConfigError(
      `none of the last ${limits.foreignMessagesMax} messages of ${stream} is from Holdfast, so the position to continue ` +
        "from is unknown: let other programs publish to another stream, and set nats_publish_after",
    );
  }
}

function asTailError(error: unknown): unknown {
  if (!(error instanceof JetStreamApiError) || !tailMovedCodes.has(error.code)) return error;
  return new TailMovedError(error.message);
}
