import { closeCodes, socketPath, socketProtocol } from "../contract/socket-protocol.ts";
import type { ClientMessage, ServerMessage, SocketProblem } from "../contract/socket-protocol.ts";
import type { Address } from "./address.ts";
import type { ClientClock } from "./client-clock.ts";

export interface LinkOptions {
  readonly address: Address;
  readonly token?: string;
  readonly clock: ClientClock;
  /** How long it is tried to get back to a server that was there. */
  readonly reconnectMs: number;
}

export interface LinkEvents {
  /** The socket is open: what it returns goes out first, in one frame with the greeting. */
  opened(): readonly string[];
  received(message: ServerMessage): void;
  /** The connection is gone, and is being looked for again. */
  lost(): void;
  /** There is no connection, and none is being looked for: nobody answers, or the server refuses. */
  failed(problem: SocketProblem | undefined, why: string): void;
  /** Whether anybody waits for something: only then is silence worth a question, and a process kept running. */
  isNeeded(): boolean;
}

const firstDelayMs = 50;
const delayMsMax = 2_000;
/** So long nothing may be heard, twice, before a connection counts as dead. */
const silenceMs = 10_000;
/** So long an attempt to connect may take, greeting included. */
const welcomeMsMax = 10_000;

/** One connection to a server, made again when it breaks, with growing and uneven delays so that clients spread. */
export class SocketLink {
  readonly #options: LinkOptions;
  readonly #events: LinkEvents;
  #socket: WebSocket | undefined;
  #isWelcome = false;
  /** Since when it is tried to get back; undefined if there was no connection before. */
  #lostAtMs: number | undefined;
  #attempts = 0;
  #problem: SocketProblem | undefined;
  #cancelRetry: (() => void) | undefined;
  #cancelWatch: (() => void) | undefined;
  #silentRounds = 0;

  constructor(options: LinkOptions, events: LinkEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Whether a frame can be sent now. */
  get isOpen(): boolean {
    return this.#socket?.readyState === 1;
  }

  get bufferedBytes(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  /** Begins to connect, if it has not begun. */
  start(): void {
    if (this.#socket === undefined && this.#cancelRetry === undefined) this.#connect();
  }

  send(frame: string): void {
    this.#socket?.send(frame);
  }

  close(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    this.#drop(1000);
  }

  #connect(): void {
    const url = new URL(socketPath, this.#options.address.url);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    this.#socket = socket;
    this.#isWelcome = false;
    this.#problem = undefined;
    const giveUp = (): void => {
      this.#over(closeCodes.silent, "no answer");
    };
    this.#cancelWatch = this.#options.clock.after(welcomeMsMax, giveUp, { keepAlive: true });
    socket.onopen = () => {
      const { token } = this.#options;
      const hello: ClientMessage = {
        kind: "hello",
        protocol: socketProtocol,
        ...(token === undefined ? {} : { token }),
      };
      socket.send(`[${[JSON.stringify(hello), ...this.#events.opened()].join(",")}]`);
    };
    socket.onmessage = ({ data }: { readonly data: unknown }) => {
      this.#silentRounds = 0;
      const messages = JSON.parse(data as string) as readonly ServerMessage[];
      for (const message of messages) this.#take(message);
    };
    socket.onclose = ({ code, reason }) => {
      this.#over(code, reason);
    };
    // A close follows every error, and says more in Node, and nothing in a browser.
    socket.onerror = () => undefined;
  }

  #take(message: ServerMessage): void {
    if (message.kind === "welcome") {
      this.#isWelcome = true;
      this.#cancelWatch?.();
      this.#listen();
      this.#lostAtMs = undefined;
      this.#attempts = 0;
    }
    if (message.kind === "problem" && message.id === undefined) this.#problem = message.problem;
    this.#events.received(message);
  }

  #over(code: number, reason: string): void {
    const wasWelcome = this.#isWelcome;
    this.#drop();
    const { clock, reconnectMs } = this.#options;
    if (wasWelcome) {
      this.#lostAtMs = clock.monotonicMs();
      this.#events.lost();
    }
    const isFinal = code === closeCodes.refused || code === closeCodes.malformed;
    const isHopeless = this.#lostAtMs === undefined || clock.monotonicMs() - this.#lostAtMs > reconnectMs;
    if (isFinal || isHopeless) {
      this.#lostAtMs = undefined;
      this.#attempts = 0;
      this.#events.failed(isFinal ? this.#problem : undefined, reason === "" ? "nobody answers there" : reason);
      return;
    }
    this.#retry();
  }

  #retry(): void {
    const { clock } = this.#options;
    const delayMs = Math.min(delayMsMax, firstDelayMs * 2 ** this.#attempts) * (0.5 + clock.random() / 2);
    this.#attempts += 1;
    const again = (): void => {
      this.#cancelRetry = undefined;
      this.#connect();
    };
    this.#cancelRetry = clock.after(delayMs, again, { keepAlive: this.#events.isNeeded() });
  }

  /** A connection whose other end vanished looks open for minutes: so it is asked, if nothing is heard. */
  #listen(): void {
    this.#silentRounds = 0;
    const look = (): void => {
      this.#silentRounds += 1;
      if (this.#silentRounds > 2 && this.#events.isNeeded()) {
        this.#over(closeCodes.silent, "no sign of life");
        return;
      }
      if (this.#silentRounds > 1) this.send('[{"kind":"ping","id":0}]');
      this.#cancelWatch = this.#options.clock.after(silenceMs, look, { keepAlive: false });
    };
    this.#cancelWatch = this.#options.clock.after(silenceMs, look, { keepAlive: false });
  }

  /** Lets go of the socket: nothing that it still says is heard. */
  #drop(code?: number): void {
    this.#cancelWatch?.();
    this.#cancelWatch = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isWelcome = false;
    if (socket === undefined) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close(code);
  }
}
