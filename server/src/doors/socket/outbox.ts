import type { WebSocket } from "ws";
import { closeCodes } from "@holdfast/sdk/contract";
import type { Clock } from "../../base/clock.ts";
import type { SocketLimits } from "./limits.ts";

/**
 * A message that many sockets send. Alone in its tick it is sent as bytes that were made once for all of them. Together
 * with other messages it is sent as text.
 */
export interface SharedMessage {
  readonly text: string;
  /** The bytes of a frame with this message alone. They must not be changed. */
  readonly frame: Buffer;
}

/** Maximum messages of a frame. The client processes a frame while the server renders the next one. */
const frameMessagesMax = 64;

/** Otherwise bytes would be sent as binary frames. */
const asText = { binary: false };

/**
 * The outgoing messages of one socket. Messages of one tick share frames. Over the limit it reports that, and every
 * sender waits. A client that reads nothing for too long is disconnected, so that it costs other clients nothing.
 */
export class Outbox {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #limits: SocketLimits;
  readonly #onDrain: () => void;
  #messages: (string | SharedMessage)[] = [];
  #isScheduled = false;
  #cancelCutOff: (() => void) | undefined;

  constructor(
    socket: WebSocket,
    options: { readonly clock: Clock; readonly limits: SocketLimits; readonly onDrain: () => void },
  ) {
    this.#socket = socket;
    this.#clock = options.clock;
    this.#limits = options.limits;
    this.#onDrain = options.onDrain;
  }

  get isFull(): boolean {
    return this.#cancelCutOff !== undefined;
  }

  /** Adds a message, as JSON. */
  push(message: string | SharedMessage): void {
    this.#messages.push(message);
    if (this.#messages.length >= frameMessagesMax) this.#send();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#clock.soon(this.flush);
  }

  readonly flush = (): void => {
    this.#isScheduled = false;
    this.#send();
  };

  #send(): void {
    if (this.#messages.length === 0) return;
    const messages = this.#messages;
    this.#messages = [];
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(frameOf(messages), asText, this.#sent);
    if (this.#socket.bufferedAmount > this.#limits.bufferedBytesMax) this.#fill();
  }

  stop(): void {
    this.#cancelCutOff?.();
    this.#cancelCutOff = undefined;
    this.#messages = [];
  }

  #fill(): void {
    this.#cancelCutOff ??= this.#clock.after(
      this.#limits.stalledMsMax,
      () => {
        // A close frame would wait behind the unread data.
        this.#socket.close(closeCodes.slow, "too slow");
        this.#socket.terminate();
      },
      { keepAlive: false },
    );
  }

  readonly #sent = (): void => {
    if (this.#cancelCutOff === undefined || this.#socket.bufferedAmount > this.#limits.bufferedBytesMax / 2) return;
    this.#cancelCutOff();
    this.#cancelCutOff = undefined;
    this.#onDrain();
  };
}

function frameOf(messages: readonly (string | SharedMessage)[]): string | Buffer {
  const [first] = messages;
  if (messages.length === 1 && typeof first === "object") return first.frame;
  return `[${messages.map((message) => (typeof message === "string" ? message : message.text)).join(",")}]`;
}
