import type { Grant } from "../../operation-output.ts";
import type { CallSender } from "../../transport/call-sender.ts";
import type { ClientClock } from "../../client-clock.ts";
import type { HeldGrant, ClockPoint } from "./held-grant.ts";
import type { LockedPath } from "./lock.ts";
import type { SessionAgent } from "../session/session-agent.ts";
import type { Ticket } from "../waiting/ticket.ts";

/** The locks and tickets of an owner, as the heartbeats see them. */
export interface Holdings {
  readonly caller: CallSender;
  readonly clock: ClientClock;
  readonly owner: string;
  /** The owner, if it is not an agent. */
  readonly ownerId: string | undefined;
  /** The agent that is the owner. */
  readonly agent: SessionAgent | undefined;
  /**
   * Whether the client would receive the event of a loss. A heartbeat names no grant, so without events it proves
   * nothing.
   */
  readonly isWatching: boolean;
  readonly grants: ReadonlyMap<string, HeldGrant>;
  readonly tickets: ReadonlyMap<string, Ticket>;
  refreshTicket(ticket: Ticket): Promise<void>;
  changeFence(grant: HeldGrant, fence: string, paths: readonly LockedPath[]): void;
  renewed(grant: HeldGrant, answer: Grant, sentAt: ClockPoint): void;
  notHeld(grant: HeldGrant): Promise<void>;
  agentEnded(data: Readonly<Record<string, unknown>>): void;
}
