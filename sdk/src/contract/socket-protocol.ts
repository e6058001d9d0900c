/**
 * The protocol of the socket. A frame is a JSON text with an array of messages. Messages of one tick share frames,
 * in both directions. `docs/reference/socket.md` describes it for authors of clients.
 */
import type { Notice } from "./notices.ts";
import type { WatchFilter } from "./watch-filter.ts";

/** The number of this protocol. `hello` and `welcome` carry it, and keep their shape in every version. */
export const socketProtocol = 1;

/** The path of the socket on the HTTP address. */
export const socketPath = "/v1/socket";

/** The client chooses the ids. An id is a whole number with one use at a time. */
export type ClientMessage =
  | { readonly kind: "hello"; readonly protocol: number; readonly token?: string }
  | { readonly kind: "agent"; readonly as: number; readonly agent: string; readonly secret?: string }
  | CallMessage
  | ({ readonly kind: "watch"; readonly id: number; readonly after?: string } & WatchFilter)
  | { readonly kind: "listen"; readonly id: number; readonly owner: string }
  | { readonly kind: "unwatch"; readonly id: number }
  | { readonly kind: "more"; readonly id: number; readonly count: number }
  | { readonly kind: "cursor"; readonly id: number }
  | { readonly kind: "ping"; readonly id: number };

export interface CallMessage {
  readonly kind: "call";
  readonly id: number;
  readonly operation: string;
  readonly input: unknown;
  readonly key?: string;
  readonly deadline_ms?: number;
  /** The number of the calling agent, as an `agent` message assigned it. */
  readonly as?: number;
  /** The caller's span in a trace: a W3C `traceparent`. */
  readonly trace?: string;
  /** Required freshness of a read; `latest` if absent. */
  readonly reads?: "latest" | "local";
  /** Leaves the events of the entry out of the reply, for callers that need only the outcome. */
  readonly events?: false;
  /** Marks a retry, with its cause. */
  readonly retry?: "deadlock" | "conflict";
}

/** The refusal of a message that is not a call, or the reason for an end. */
export interface SocketProblem {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type ServerMessage =
  | {
      readonly kind: "welcome";
      readonly protocol: number;
      readonly version: string;
      readonly epoch: number;
      readonly cursor: string;
    }
  | {
      readonly kind: "reply";
      readonly id: number;
      readonly outcome: { readonly kind: "done" | "refusal"; readonly code?: string; readonly data: unknown };
      readonly position: number;
      readonly replayed: boolean;
      readonly events: readonly unknown[];
    }
  | { readonly kind: "watching"; readonly id: number; readonly cursor: string }
  | { readonly kind: "events"; readonly id: number; readonly events: readonly unknown[] }
  | { readonly kind: "notices"; readonly id: number; readonly notices: readonly Notice[] }
  | { readonly kind: "ended"; readonly id: number; readonly problem?: SocketProblem }
  | { readonly kind: "cursor"; readonly id: number; readonly cursor: string }
  | { readonly kind: "pong"; readonly id: number }
  | { readonly kind: "problem"; readonly id?: number; readonly problem: SocketProblem }
  | { readonly kind: "bye"; readonly reason: string };

/** Maximum bytes of a frame. */
export const frameBytesMax = 4 * 1_048_576;

/** Maximum agents that have a number on one connection. Assigning a number again replaces its agent. */
export const socketAgentsMax = 4_096;

/** Maximum `events` or `notices` messages of one watch in flight before the client asks for more. */
export const eventsAhead = 16;

/** Close codes of the server. RFC 6455 defines all others. */
export const closeCodes = {
  /** The server is stopping and has sent `bye`. Reconnect, or use another node. */
  goingAway: 1001,
  /** A frame is larger than 4 MiB. */
  tooBig: 1009,
  /** A bug in the server. Reconnect and repeat what is still needed. */
  defect: 1011,
  /** Several frames were malformed. A `problem` described each. */
  malformed: 4400,
  /** Access was refused. The preceding `problem` has the reason. */
  refused: 4401,
  /** No `hello` or no heartbeat arrived in time. */
  silent: 4408,
  /** The client read too slowly. */
  slow: 4413,
} as const;
