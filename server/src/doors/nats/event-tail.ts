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
import type { NatsLimits } from "./limits.ts";
import { placeText, readPlace } from "./mesh-event.ts";
import type { Outgoing } from "./mesh-event.ts";
import type { EventPlace } from "./options.ts";
import { StreamFault } from "./stream-fault.ts";

/** Somebody else has added something. */
export class TailMovedError extends Error {
  override readonly name = "TailMovedError";
}

export interface TailState {
  /** The sequence of the last message that the stream ever had. */
  readonly sequence: number;
  /** How far it goes; undefined if there is no event of Holdfast in it. */
  readonly published: EventPlace | undefined;
  /** Nothing was ever taken out of it: what is not in it never was. */
  readonly isWhole: boolean;
}

/** Something to add: an event at its place, or, without one, a repetition. */
export interface Addition {
  /** Nobody else's: what follows in the same breath expects it. */
  readonly id: string;
  readonly message: Outgoing;
  readonly place?: EventPlace;
}

export interface TailPlace {
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly stream: string;
  readonly limits: NatsLimits;
}

interface After {
  readonly lastSequence: number;
  readonly lastMsgID: string | undefined;
  /** How far the stream goes with the message. */
  readonly reached: EventPlace | undefined;
}

/** The server's codes for an end that is not the expected one, by id and by sequence. */
const moved = new Set([10_070, 10_071]);

export class EventTail {
  readonly #place: TailPlace;
  #state: TailState | undefined;

  constructor(place: TailPlace) {
    this.#place = place;
  }

  /** As it was when it was last looked at or added to. */
  get state(): TailState | undefined {
    return this.#state;
  }

  async look(): Promise<TailState> {
    const { jsm, stream } = this.#place;
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
  async add(additions: readonly Addition[]): Promise<void> {
    const { publishAhead } = this.#place.limits;
    for (let from = 0; from < additions.length; from += publishAhead) {
      const { sequence, published, isWhole } = this.#state ?? (await this.look());
      const some = additions.slice(from, from + publishAhead);
      this.#state = undefined;
      let reached = published;
      const sent = some.map((addition, index) => {
        reached = addition.place ?? reached;
        return this.#send(addition, { lastSequence: sequence + index, lastMsgID: some[index - 1]?.id, reached });
      });
      const results = await Promise.allSettled(sent);
      const failure = results.find((result) => result.status === "rejected");
      if (failure !== undefined) throw asTailError(failure.reason);
      this.#state = { sequence: sequence + some.length, published: reached, isWhole };
    }
  }

  async #send({ id, message }: Addition, after: After): Promise<void> {
    const { js, limits, stream } = this.#place;
    const { lastSequence, lastMsgID, reached } = after;
    const list = newHeaders();
    for (const [name, value] of Object.entries(message.headers)) list.set(name, value);
    if (reached !== undefined) list.set(meshHeaders.published, placeText(reached));
    const expect = { lastSequence, streamName: stream, ...(lastMsgID === undefined ? {} : { lastMsgID }) };
    const options = { msgID: id, headers: list, expect, timeout: limits.publishMs };
    const { duplicate, seq } = await js.publish(message.subject, message.text, options);
    // The same event is there already: it came from somebody else.
    if (duplicate || seq !== lastSequence + 1) throw new TailMovedError(`${id} is at ${seq} already`);
  }

  /** Others may publish below the same subjects; their messages say nothing, and the one before them is looked at. */
  async #publishedAt(last: number, first: number): Promise<EventPlace | undefined> {
    const { jsm, stream, limits } = this.#place;
    const end = Math.max(first, last - limits.strangersMax + 1, 1);
    for (let seq = last; seq >= end; seq -= 1) {
      const message = await jsm.streams.getMessage(stream, { seq });
      const text = message?.header.get(meshHeaders.published) ?? "";
      const place = text === "" ? undefined : readPlace(text);
      if (place !== undefined) return place;
    }
    if (end === Math.max(first, 1)) return undefined;
    throw new StreamFault(
      `none of the last ${limits.strangersMax} messages of ${stream} is from Holdfast, so it is not known where ` +
        "publishing goes on: let others publish into another stream, and say with nats_publish_after where to go on",
    );
  }
}

function asTailError(error: unknown): unknown {
  if (!(error instanceof JetStreamApiError) || !moved.has(error.code)) return error;
  return new TailMovedError(error.message);
}
