/**
 * Who may come in, and what they may do. Every door asks the gate first, and speaks to Holdfast only through the
 * transport that the gate hands out: so rights, limits and the names in the journal are the same through all of them.
 */
import type { DoorTransport } from "@holdfast/sdk/door-transport";

/** What a door knows about whoever knocks. */
export interface Credentials {
  /** The secret of a token, as it was sent. */
  readonly token?: string;
  /** Who somebody without a token is, where the operator vouches for all who can reach the door. */
  readonly vouched?: string | undefined;
  /** Whether the connection comes from this host itself. */
  readonly isLoopback: boolean;
  /** Commands of one connection stay in order, and take turns with those of others. */
  readonly connection: string;
  /** Which door it is, for figures and logs. */
  readonly door: "http" | "socket" | "nats" | "mcp";
}

/** Somebody who was let in. */
export interface Caller {
  /** Who it is in the journal: the token's principal, `operator`, `anonymous`, or whom the operator vouches for. */
  readonly principal: string;
  readonly isOperator: boolean;
  /** Calls are checked against the caller's rights and limits; events that it may not read are left out. */
  readonly transport: DoorTransport;
}

/** Why somebody is not let in: a code of the contract's registry of problems, and data for the sentence. */
export interface Turned {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Gate {
  /** Lets somebody in, or says why not. A token is looked at again with every call: it may be revoked meanwhile. */
  admit(credentials: Credentials): Caller | Turned;
  /** Learns what other nodes have written. False if there is nothing to learn, because there are none. */
  refresh(): Promise<boolean>;
}

/** Lets somebody in; one whose token is not known here may have got it through another node a moment ago. */
export async function admitLatest(gate: Gate, credentials: Credentials): Promise<Caller | Turned> {
  const caller = gate.admit(credentials);
  if (!isTurned(caller) || caller.code !== "token_invalid") return caller;
  // If that can't be found out, nobody is let in.
  const mayKnowMore = await gate.refresh().catch(() => false);
  return mayKnowMore ? gate.admit(credentials) : caller;
}

export function isTurned(result: object): result is Turned {
  return "code" in result;
}
