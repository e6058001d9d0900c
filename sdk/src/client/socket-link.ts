import { closeCodes, socketPath, socketProtocol } from "../contract/socket-protocol.ts";
import type { ClientMessage, ServerMessage, SocketProblem } from "../contract/socket-protocol.ts";
import { protocolMismatch } from "../contract/protocol-mismatch.ts";
import { problemOf } from "../contract/problems.ts";
import { backoffMs } from "../base/backoff-ms.ts";
import type { AddressRing } from "./address-ring.ts";
import type { ClientClock } from "./client-clock.ts";
import { IdleTimer } from "./idle-timer.ts";
import { readJson } from "../json/read-json.ts";

export interface LinkOptions {
  readonly nodes: AddressRing;
  readonly token?: string;
  readonly clock: ClientClock;
  /** Maximum time to reconnect to a lost server. */
  readonly reconnectMs: number;
  /** Maximum agents with a number at once; by default as many as a server accepts. */
  readonly agentsMax?: number;
}

interface LinkEvents {
  /** The socket is open. The returned messages are sent first, in one frame with the greeting. */
  opened(): readonly string[];
  received(message: ServerMessage): void;
  /** The connection is lost, and the link reconnects. */
  lost(): void;
  /** There is no connection and no attempt: no server answers, or the server refuses. */
  failed(problem: SocketProblem | undefined, why: string): void;
  /** Whether a caller waits for a reply. Only then does the link send pings and keep the process running. */
  isNeeded(): boolean;
}

const reconnectDelay = { baseMs: 50, capMs: 2_000 };
/**
 * Idle interval before a ping. Two silent intervals mark the connection dead. Shorter when other nodes are configured.
 */
const silenceMs = 10_000;
const silenceMsOfMany = 2_500;
/** Maximum duration of a connection attempt, greeting included. Shorter when other nodes are configured. */
const welcomeMsMax = 10_000;
const welcomeMsMaxOfMany = 2_000;
/** Maximum jitter before the other nodes are tried, so that clients that lost the same node do not arrive together. */
const nextNodeMs = 25;
/** Minimum interval between two changes of the node. If no node can work, changing more often does not help. */
const leaveEveryMs = 1_000;

/** One connection to a server. It reconnects with exponential backoff and jitter. */
export class SocketLink {
  readonly #options: LinkOptions;
  readonly #events: LinkEvents;
  #socket: WebSocket | undefined;
  #isWelcome = false;
  /** Start of the reconnection; undefined if there was no connection before. */
  #lostAtMs: number | undefined;
  /** Attempts since the last connection. */
  #attempts = 0;
  #leftAtMs = -Infinity;
  #cancelLeave: (() => void) | undefined;
  #problem: SocketProblem | undefined;
  #retrying: IdleTimer | undefined;
  #cancelWatch: (() => void) | undefined;
  #silentRounds = 0;

  constructor(options: LinkOptions, events: LinkEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** Whether a frame can be sent. */
  get isOpen(): boolean {
    return this.#socket?.readyState === 1;
  }

  get bufferedBytes(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  /** Starts to connect, unless it has started, and keeps the process running until then. */
  start(): void {
    if (this.#socket !== undefined) return;
    if (this.#retrying === undefined) this.#connect();
    else this.#retrying.keepAlive();
  }

  send(frame: string): void {
    this.#socket?.send(frame);
  }

  /** Moves to another node, at once or soon, since this one cannot work. */
  leave(): void {
    const { clock } = this.#options;
    if (this.#cancelLeave !== undefined || !this.#isWelcome) return;
    const go = (): void => {
      this.#cancelLeave = undefined;
      this.#leftAtMs = clock.monotonicMs();
      if (this.#isWelcome) this.#over(closeCodes.goingAway, "this node cannot work at the moment");
    };
    const waitMs = Math.max(0, this.#leftAtMs + leaveEveryMs - clock.monotonicMs());
    this.#cancelLeave = clock.after(waitMs, go, { keepAlive: false });
  }

  close(): void {
    this.#retrying?.cancel();
    this.#retrying = undefined;
    this.#cancelLeave?.();
    this.#drop(1000);
  }

  #connect(): void {
    const { nodes } = this.#options;
    const url = new URL(socketPath, nodes.current.url);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    this.#socket = socket;
    this.#isWelcome = false;
    this.#problem = undefined;
    const giveUp = (): void => {
      this.#over(closeCodes.silent, "no answer");
    };
    const patienceMs = nodes.size > 1 ? welcomeMsMaxOfMany : welcomeMsMax;
    this.#cancelWatch = this.#options.clock.after(patienceMs, giveUp, { keepAlive: true });
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
      const messages = readJson(data as string) as readonly ServerMessage[];
      for (const message of messages) {
        this.#take(message);
        if (this.#socket !== socket) return;
      }
    };
    socket.onclose = ({ code, reason }) => {
      this.#over(code, reason);
    };
    // A close follows every error. In Node it has a reason, in a browser it does not.
    socket.onerror = () => undefined;
  }

  #take(message: ServerMessage): void {
    if (message.kind === "welcome") {
      this.#problem = protocolMismatch(socketProtocol, message.protocol);
      if (this.#problem !== undefined) {
        this.#over(closeCodes.refused, this.#problem.code);
        return;
      }
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
    const { clock, reconnectMs, nodes } = this.#options;
    nodes.turn();
    if (wasWelcome) {
      this.#lostAtMs = clock.monotonicMs();
      this.#events.lost();
    }
    const isFinal = (code === closeCodes.refused || code === closeCodes.malformed) && !this.#mayWorkElsewhere();
    // Each node is tried once before the link reports that no server answers.
    const wasLong = this.#lostAtMs === undefined || clock.monotonicMs() - this.#lostAtMs > reconnectMs;
    const isHopeless = wasLong && this.#attempts + 1 >= nodes.size;
    if (isFinal || isHopeless) {
      this.#lostAtMs = undefined;
      this.#attempts = 0;
      this.#events.failed(isFinal ? this.#problem : undefined, reason === "" ? "no server answers there" : reason);
      return;
    }
    this.#retry();
  }

  /** This node refused for a reason that may not apply to another. */
  #mayWorkElsewhere(): boolean {
    return (
      this.#options.nodes.size > 1 && this.#problem !== undefined && problemOf(this.#problem.code).retry !== "never"
    );
  }

  #retry(): void {
    const { clock, nodes } = this.#options;
    const isFirstRound = nodes.size > 1 && this.#attempts < nodes.size;
    const round = 1 + Math.floor(this.#attempts / nodes.size);
    const delayMs = isFirstRound ? nextNodeMs * clock.random() : backoffMs(reconnectDelay, round, clock.random());
    this.#attempts += 1;
    const again = (): void => {
      this.#retrying = undefined;
      this.#connect();
    };
    this.#retrying = new IdleTimer(clock, delayMs, again, { keepAlive: this.#events.isNeeded() });
  }

  /** A connection whose peer vanished looks open for minutes. So the link sends a ping after silence. */
  #listen(): void {
    this.#silentRounds = 0;
    const { clock, nodes } = this.#options;
    const roundMs = nodes.size > 1 ? silenceMsOfMany : silenceMs;
    const look = (): void => {
      this.#silentRounds += 1;
      if (this.#silentRounds > 2 && this.#events.isNeeded()) {
        this.#over(closeCodes.silent, "no reply to a ping");
        return;
      }
      if (this.#silentRounds > 1) this.send('[{"kind":"ping","id":0}]');
      this.#cancelWatch = clock.after(roundMs, look, { keepAlive: false });
    };
    this.#cancelWatch = clock.after(roundMs, look, { keepAlive: false });
  }

  /** Detaches the socket: its later events are ignored. */
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
