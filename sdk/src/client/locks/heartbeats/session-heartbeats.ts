import { TimedHeartbeats } from "./heartbeats.ts";
import type { HeartbeatResult, Heartbeats, HeartbeatThread } from "./heartbeats.ts";
import type { Holdings } from "../handle/holdings.ts";
import { renewByName } from "../session/renew-by-name.ts";
import { ticketLeaseMs } from "../waiting/ticket.ts";

/** Heartbeats per shortest lease: two of them may be lost. */
const beatsPerLease = 3;

/** Maximum interval between heartbeats of a session with locks or tickets. Long leases are renewed as often as short ones. */
const intervalMaxMs = 10_000;

function shortestOf(grants: Holdings["grants"]): number {
  let shortestMs = Infinity;
  for (const { leaseMs } of grants.values()) shortestMs = Math.min(shortestMs, leaseMs);
  return shortestMs;
}

/**
 * Keeps the locks and tickets of a session alive: by one heartbeat, or one by one for an owner that is not an agent.
 */
export class SessionHeartbeats {
  readonly #session: Holdings;
  readonly #timed: TimedHeartbeats;
  #startThread: HeartbeatThread | undefined;
  #thread: Heartbeats | undefined;
  #renewing: Promise<HeartbeatResult["refusal"]> | undefined;

  constructor(session: Holdings, startThread: HeartbeatThread | undefined) {
    this.#session = session;
    this.#startThread = startThread;
    this.#timed = new TimedHeartbeats({
      clock: session.clock,
      send: () => this.#send(),
      onBeat: () => this.applyBeats(),
    });
  }

  /** Sets the interval that the shortest lease needs. Without locks only the registration is renewed. */
  pace(): void {
    const { grants, tickets, agent } = this.#session;
    const leaseMs = Math.min(shortestOf(grants), tickets.size > 0 ? ticketLeaseMs : Infinity);
    const limitMs = agent?.limitMs ?? Infinity;
    const busyMs =
      leaseMs === Infinity ? undefined : Math.min(Math.min(leaseMs, limitMs) / beatsPerLease, intervalMaxMs);
    const idleMs = agent?.isOwn === true ? limitMs / beatsPerLease : undefined;
    // Started with the session: it takes as long as the first few calls, and may be needed right after them.
    if (agent !== undefined) this.#thread ??= this.#start();
    this.#thread?.pace(busyMs);
    this.#timed.pace(this.#thread === undefined ? (busyMs ?? idleMs) : idleMs);
  }

  /** Applies the results. */
  applyBeats(): void {
    for (const beat of [...(this.#thread?.take() ?? []), ...this.#timed.take()]) this.#apply(beat);
  }

  stop(): void {
    this.#timed.stop();
    this.#thread?.stop();
    this.#thread = undefined;
  }

  #start(): Heartbeats | undefined {
    const { identity } = this.#session.caller;
    if (identity === undefined) return undefined;
    const onBroken = (): void => {
      this.#startThread = undefined;
      this.#thread = undefined;
      this.pace();
    };
    return this.#startThread?.(identity, { onBeat: () => this.applyBeats(), onBroken });
  }

  #apply({ sentAt, answeredAt, refusal }: HeartbeatResult): void {
    const { grants, tickets } = this.#session;
    if (refusal?.code === "agent_unknown") this.#session.agentEnded(refusal.data);
    if (refusal !== undefined) return;
    // An owner that is not an agent renewed each grant by itself, with its own reply.
    if (this.#session.agent !== undefined && !this.#session.isWatching) void this.renewEach();
    else if (this.#session.agent !== undefined) {
      const leaseMs = shortestOf(grants);
      for (const grant of grants.values()) grant.renewByBeat(sentAt, answeredAt);
      // An unaccepted grant counts as a short lease. After this heartbeat its whole lease counts.
      if (shortestOf(grants) !== leaseMs) this.pace();
    }
    for (const ticket of tickets.values()) void this.#session.refreshTicket(ticket);
  }

  async #send(): Promise<HeartbeatResult["refusal"]> {
    if (this.#session.agent === undefined) return this.#renewAll();
    const { outcome } = await this.#session.caller.once("heartbeat", {});
    return outcome.kind === "done" ? undefined : outcome;
  }

  async #renewAll(): Promise<HeartbeatResult["refusal"]> {
    const { tickets, caller, ownerId: ownerId } = this.#session;
    const renewal = this.renewEach();
    const acceptances = [...tickets.keys()].map(async (ticket) => {
      const { outcome } = await caller.once("accept-lock", { ticket, ownerId });
      return outcome.kind === "done" || outcome.code === "ticket_unknown" ? undefined : outcome;
    });
    const refusals = await Promise.all([renewal, ...acceptances]);
    return refusals.find((refusal) => refusal !== undefined);
  }

  /** Renews each grant by its fence. The replies say which of them are held. One round at a time. */
  renewEach(): Promise<HeartbeatResult["refusal"]> {
    this.#renewing ??= this.#renewNow().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewNow(): Promise<HeartbeatResult["refusal"]> {
    const { grants } = this.#session;
    const refusals = await Promise.all([...grants.values()].map((grant) => renewByName(this.#session, grant)));
    return refusals.find((refusal) => refusal !== undefined);
  }
}
