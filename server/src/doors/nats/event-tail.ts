/**
 * The end of the event stream, and the only way anything is added to it. Each message is taken by the server only if the
 * stream still ends where this runtime believes it does. So of several runtimes that publish the same event one succeeds,
 * and a message whose acknowledgement was lost is never there twice. Each message says how far the stream goes with it;
 * so whoever starts finds in the last one where to go on.
 */
import { JetStreamApiError } from "@nats-io/jetstream";
import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import { headers as newHeaders } from "@nats-io/transport-node";
import { meshHeaders } from "@holdfast/sdk/contract";
import type { NatsLimits } from "./nats-limits.ts";
import { formatEventPosition, parseEventPosition } from "./mesh-event.ts";
import type { OutgoingMessage } from "./mesh-event.ts";
import type { EventPosition } from "./nats-door-options.ts";
import { NatsConfigError } from "./nats-config-error.ts";

/** Somebody else has added something. */
export class TailMovedError extends Error {
  override readonly name = "TailMovedError";
}

export interface TailState {
  /** The sequence of the last message that the stream ever had. */
  readonly sequence: number;
  /** How far it goes; undefined if there is no event of Holdfast in it. */
  readonly published: EventPosition | undefined;
  /** Nothing was ever taken out of it: what is not in it never was. */
  readonly isWhole: boolean;
}

/** Something to add: an event at its place, or, without one, a repetition. */
export interface TailAddition {
  /** Nobody else's: what follows in the same breath expects it. */
  readonly id: string;
  readonly message: OutgoingMessage;
  readonly eventPosition?: EventPosition;
}

export interface EventTailOptions {
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly stream: string;
  readonly limits: NatsLimits;
}

interface ExpectedTail {
  readonly lastSequence: number;
  readonly lastMsgID: string | undefined;
  /** How far the stream goes with the message. */
  readonly reached: EventPosition | undefined;
}

/** The server's codes for an end that is not the expected one, by id and by sequence. */
const tailMovedCodes = new Set([10_070, 10_071]);

export class EventTail {
  readonly #options: EventTailOptions;
  #state: TailState | undefined;

  constructor(options: EventTailOptions) {
    this.#options = options;
  }

  /** As it was when it was last looked at or added to. */
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
   * Adds messages in their order, many on the way at once: each expects the one before it by sequence and by id, so after
   * one that failed none gets in, not even late, from a connection that was given up. What is left of them after a failure
   * is found out by looking.
   */
  async add(additions: readonly TailAddition[]): Promise<void> {
    const { publishAhead } = this.#options.limits;
    for (let from = 0; from < additions.length; from += publishAhead) {
      const { sequence, published, isWhole } = this.#state ?? (await this.refresh());
      const some = additions.slice(from, from + publishAhead);
      this.#state = undefined;
      let reached = published;
      const sent = some.map((addition, index) => {
        reached = addition.eventPosition ?? reached;
        return this.#send(addition, { lastSequence: sequence + index, lastMsgID: some[index - 1]?.id, reached });
      });
      const results = await Promise.allSettled(sent);
      const failure = results.find((result) => result.status === "rejected");
      if (failure !== undefined) throw asTailError(failure.reason);
      this.#state = { sequence: sequence + some.length, published: reached, isWhole };
    }
  }

  async #send({ id, message }: TailAddition, after: ExpectedTail): Promise<void> {
    const { js, limits, stream } = this.#options;
    const { lastSequence, lastMsgID, reached } = after;
    const list = newHeaders();
    for (const [name, value] of Object.entries(message.headers)) list.set(name, value);
    if (reached !== undefined) list.set(meshHeaders.published, formatEventPosition(reached));
    const expect = { lastSequence, streamName: stream, ...(lastMsgID === undefined ? {} : { lastMsgID }) };
    const options = { msgID: id, headers: list, expect, timeout: limits.publishTimeoutMs };
    const { duplicate, seq } = await js.publish(message.subject, message.text, options);
    // The same event is there already: it came from somebody else.
    if (duplicate || seq !== lastSequence + 1) throw new TailMovedError(`${id} is at ${seq} already`);
  }

  /** Others may publish below the same subjects; their messages say nothing, and the one before them is looked at. */
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
      `none of the last ${limits.foreignMessagesMax} messages of ${stream} is from Holdfast, so it is not known where ` +
        "publishing goes on: let others publish into another stream, and say with nats_publish_after where to go on",
    );
  }
}

function asTailError(error: unknown): unknown {
  if (!(error instanceof JetStreamApiError) || !tailMovedCodes.has(error.code)) return error;
  return new TailMovedError(error.message);
}
