import { closeCodes, socketPath, socketProtocol } from "../../contract/socket-protocol.ts";
import type { ClientMessage, ServerMessage, SocketProblem } from "../../contract/socket-protocol.ts";
import { protocolMismatch } from "../../contract/protocol-mismatch.ts";
import { problemText } from "../data/operation-data.ts";
import { backoffMs } from "../../base/backoff-ms.ts";
import { defined } from "../../base/defined.ts";
import type { AddressRing } from "./address-ring.ts";
import type { ClientClock } from "../client-clock.ts";
import { IdleTimer } from "./idle-timer.ts";
import { readJson } from "../../json/read-json.ts";

export interface LinkOptions {
  readonly nodes: AddressRing;
  readonly token?: string | undefined;
  readonly clock: ClientClock;
  /** Maximum time to reconnect to a lost server. */
  readonly reconnectMs: number;
  /** Maximum agents with a number at once; by default as many as a server accepts. */
  readonly agentsMax?: number;
  /** Opens a connection; by default the built-in WebSocket to the address of the node. */
  readonly openSocket?: (url: URL) => WebSocket;
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

const reconnectBackoff = { baseMs: 50, capMs: 2_000 };
/**
 * Idle interval before a ping. Two silent intervals mark the connection dead. Shorter when other nodes are configured.
 */
const silenceMs = 10_000;
const silenceMsOfMany = 2_500;
/** Maximum duration of a connection attempt, greeting included. Shorter when other nodes are configured. */
const welcomeMsMax = 10_000;
const welcomeMsMaxOfMany = 2_000;
/** Maximum jitter before the other nodes are tried, so that clients that lost the same node do not arrive together. */
const nextNodeJitterMs = 25;
/** Minimum interval between two changes of the node. If no node can work, changing more often does not help. */
const moveIntervalMs = 1_000;

/** One connection to a server. It reconnects with exponential backoff and jitter. */
export class SocketLink {
  readonly #options: LinkOptions;
  readonly #events: LinkEvents;
  #socket: WebSocket | undefined;
  #isWelcomed = false;
  /** Start of the reconnection; undefined if there was no connection before. */
  #lostAtMs: number | undefined;
  /** Attempts since the last connection. */
  #attempts = 0;
  #movedAtMs = -Infinity;
  #cancelMove: (() => void) | undefined;
  #problem: SocketProblem | undefined;
  #retryTimer: IdleTimer | undefined;
  #cancelTimeout: (() => void) | undefined;
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
    if (this.#retryTimer === undefined) this.#connect();
    else this.#retryTimer.keepAlive();
  }

  send(frame: string): void {
    this.#socket?.send(frame);
  }

  /** Moves to another node, at once or soon, since this one cannot work. */
  leave(): void {
    const { clock } = this.#options;
    if (this.#cancelMove !== undefined || !this.#isWelcomed) return;
    const moveOn = (): void => {
      this.#cancelMove = undefined;
      this.#movedAtMs = clock.monotonicMs();
      if (this.#isWelcomed) this.#ended(closeCodes.goingAway, "this node cannot work at the moment");
    };
    const waitMs = Math.max(0, this.#movedAtMs + moveIntervalMs - clock.monotonicMs());
    this.#cancelMove = clock.after(waitMs, moveOn, { keepAlive: false });
  }

  close(): void {
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
    this.#cancelMove?.();
    this.#detach(1000);
  }

  #connect(): void {
    const { nodes } = this.#options;
    const url = new URL(socketPath, nodes.current.url);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = this.#options.openSocket?.(url) ?? new WebSocket(url);
    this.#socket = socket;
    this.#isWelcomed = false;
    this.#problem = undefined;
    const giveUp = (): void => {
      this.#ended(closeCodes.silent, "no answer");
    };
    const timeoutMs = nodes.size > 1 ? welcomeMsMaxOfMany : welcomeMsMax;
    this.#cancelTimeout = this.#options.clock.after(timeoutMs, giveUp, { keepAlive: true });
    socket.onopen = () => {
      const { token } = this.#options;
      const hello: ClientMessage = defined({ kind: "hello" as const, protocol: socketProtocol, token });
      socket.send(`[${[JSON.stringify(hello), ...this.#events.opened()].join(",")}]`);
    };
    socket.onmessage = ({ data }: { readonly data: unknown }) => {
      this.#silentRounds = 0;
      const messages = readJson(data as string) as readonly ServerMessage[];
      for (const message of messages) {
        this.#receive(message);
        if (this.#socket !== socket) return;
      }
    };
    socket.onclose = ({ code, reason }) => {
      this.#ended(code, reason);
    };
    // A close follows every error. In Node it has a reason, in a browser it does not.
    socket.onerror = () => undefined;
  }

  #receive(message: ServerMessage): void {
    if (message.kind === "welcome") {
      this.#problem = protocolMismatch(socketProtocol, message.protocol);
      if (this.#problem !== undefined) {
        this.#ended(closeCodes.refused, this.#problem.code);
        return;
      }
      this.#isWelcomed = true;
      this.#cancelTimeout?.();
      this.#watchSilence();
      this.#lostAtMs = undefined;
      this.#attempts = 0;
    }
    if (message.kind === "problem" && message.id === undefined) this.#problem = message.problem;
    this.#events.received(message);
  }

  #ended(code: number, reason: string): void {
    const wasWelcomed = this.#isWelcomed;
    this.#detach();
    const { clock, reconnectMs, nodes } = this.#options;
    nodes.advance();
    if (wasWelcomed) {
      this.#lostAtMs = clock.monotonicMs();
      this.#events.lost();
    }
    const isFinal = (code === closeCodes.refused || code === closeCodes.malformed) && !this.#mayWorkElsewhere();
    // Each node is tried once before the link reports that no server answers.
    const isOverdue = this.#lostAtMs === undefined || clock.monotonicMs() - this.#lostAtMs > reconnectMs;
    const hasTriedAll = isOverdue && this.#attempts + 1 >= nodes.size;
    if (isFinal || hasTriedAll) {
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
      this.#options.nodes.size > 1 && this.#problem !== undefined && problemText(this.#problem.code).retry !== "never"
    );
  }

  #retry(): void {
    const { clock, nodes } = this.#options;
    const isFirstRound = nodes.size > 1 && this.#attempts < nodes.size;
    const round = 1 + Math.floor(this.#attempts / nodes.size);
    const delayMs = isFirstRound
      ? nextNodeJitterMs * clock.random()
      : backoffMs(reconnectBackoff, round, clock.random());
    this.#attempts += 1;
    const reconnect = (): void => {
      this.#retryTimer = undefined;
      this.#connect();
    };
    this.#retryTimer = new IdleTimer(clock, delayMs, reconnect, { keepAlive: this.#events.isNeeded() });
  }

  /** A connection whose peer vanished looks open for minutes. So the link sends a ping after silence. */
  #watchSilence(): void {
    this.#silentRounds = 0;
    const { clock, nodes } = this.#options;
    const roundMs = nodes.size > 1 ? silenceMsOfMany : silenceMs;
    const checkSilence = (): void => {
      this.#silentRounds += 1;
      if (this.#silentRounds > 2 && this.#events.isNeeded()) {
        this.#ended(closeCodes.silent, "no reply to a ping");
        return;
      }
      if (this.#silentRounds > 1) this.send('[{"kind":"ping","id":0}]');
      this.#cancelTimeout = clock.after(roundMs, checkSilence, { keepAlive: false });
    };
    this.#cancelTimeout = clock.after(roundMs, checkSilence, { keepAlive: false });
  }

  /** Detaches the socket: its later events are ignored. */
  #detach(code?: number): void {
    this.#cancelTimeout?.();
    this.#cancelTimeout = undefined;
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isWelcomed = false;
    if (socket === undefined) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close(code);
  }
}
