/**
 * The gate authenticates callers and limits what they may do. Every door calls it first, and calls Holdfast only
 * through what it returns. So rights, limits and the principals in the journal are the same at every door.
 */
import type { Calls } from "../operations/call.ts";

/** The credentials of a caller, as a door knows them. */
export interface Credentials {
  /** The secret of a token, as sent. */
  readonly token?: string | undefined;
  /** The principal of callers without a token, where the operator trusts every caller that can reach the door. */
  readonly vouched?: string | undefined;
  /** Whether the connection comes from this host. */
  readonly isLoopback: boolean;
  /** Commands of one connection stay in order, and share the queue fairly with other connections. */
  readonly connection: string;
  /** The name of the door, for metrics and logs. */
  readonly door: "http" | "socket" | "nats" | "mcp";
}

/** An admitted caller. */
export interface AdmittedCaller {
  /** Its principal in the journal: that of the token, `operator`, `anonymous`, or the one the operator configured. */
  readonly principal: string;
  readonly isOperator: boolean;
  /** Checks each call against the caller's rights and limits, and leaves out events that it may not read. */
  readonly calls: Calls;
}

/** The reason of a rejection: a problem code and its data. */
export interface Rejection {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Gate {
  /** Admits a caller, or rejects it. A token is checked again with every call, since it may be revoked. */
  admit(credentials: Credentials): AdmittedCaller | Rejection;
  /** Counts and records a failed authentication. */
  noteRejection(door: Credentials["door"], rejection: Rejection): void;
  /** Catches up with other nodes. False if there are none. */
  refresh(): Promise<boolean>;
}

/**
 * Admits a caller. An unknown token may have been created on another node a moment ago. Every other caller gets its answer
 * at once, so that its commands keep their order.
 */
export function admitLatest(
  gate: Gate,
  credentials: Credentials,
): AdmittedCaller | Rejection | Promise<AdmittedCaller | Rejection> {
  const caller = gate.admit(credentials);
  if (isRejection(caller) && caller.code === "token_invalid") return admitAfterRefresh(gate, credentials, caller);
  return noted(gate, credentials, caller);
}

async function admitAfterRefresh(
  gate: Gate,
  credentials: Credentials,
  rejection: Rejection,
): Promise<AdmittedCaller | Rejection> {
  // If the node cannot catch up, the caller is rejected.
  const mayKnowMore = await gate.refresh().catch(() => false);
  return noted(gate, credentials, mayKnowMore ? gate.admit(credentials) : rejection);
}

function noted(gate: Gate, { door }: Credentials, caller: AdmittedCaller | Rejection): AdmittedCaller | Rejection {
  if (isRejection(caller)) gate.noteRejection(door, caller);
  return caller;
}

export function isRejection(result: object): result is Rejection {
  return "code" in result;
}
