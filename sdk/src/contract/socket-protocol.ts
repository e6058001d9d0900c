/**
 * What travels over the socket. A frame is a JSON text that holds an array of messages; what belongs to one moment goes
 * into one frame, in both directions. `docs/reference/socket.md` describes it for whoever writes a client of their own.
 */
import type { Notice } from "./notices.ts";
import type { WatchFilter } from "./watch-filter.ts";

export const socketProtocol = 1;

/** Where the socket is, on the address of the HTTP door. */
export const socketPath = "/v1/socket";

/** Ids are the client's to choose, whole numbers, each used for one thing at a time. */
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
  /** The number that an `agent` message gave to the agent who acts. */
  readonly as?: number;
  /** The caller's place in a trace: a W3C `traceparent`. */
  readonly trace?: string;
  /** How far a read must look; `latest` if absent. */
  readonly reads?: "latest" | "local";
  /** Leaves the events of the entry out of the reply, for callers that want its outcome alone. */
  readonly events?: false;
  /** Says that this is another attempt, and after what. */
  readonly retry?: "deadlock" | "conflict";
}

/** A refusal of something that is no call, or why something ended. */
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

/** A frame has at most so many bytes. */
export const frameBytesMax = 4 * 1_048_576;

/** Agents have numbers on a connection, at most so many at once. A number that is said again means another agent from then on. */
export const socketAgentsMax = 4_096;

/** `events` or `notices` messages of one watch that may be on their way before the client says that it wants more. */
export const eventsAhead = 16;

/** Why a server closed a socket. What is not here is as RFC 6455 says. */
export const closeCodes = {
  /** The server stops, and has said `bye`. Come back, or go elsewhere. */
  goingAway: 1001,
  /** Too much in one frame: more than 4 MiB. */
  tooBig: 1009,
  /** A defect of the server. Come back, and say again what still matters. */
  defect: 1011,
  /** Several frames were not understood; a `problem` said what was wrong with each. */
  malformed: 4400,
  /** Not let in; the `problem` before it says why. */
  refused: 4401,
  /** No `hello` came in time, or no sign of life. */
  silent: 4408,
  /** Too slow: what was sent was not taken in time. */
  slow: 4413,
} as const;
