/**
 * Holders and waiters, derived from the events alone: plain lists, without the feature's tables and indexes. The model
 * of the lock table compares every request with these lists.
 */
import { lockLimits } from "../../server/src/features/locks/tables/settings.ts";
import type { Entry, Event } from "../../server/src/machine/entry.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";
import { LockModel } from "../locks/lock-model.ts";
import type { ModelGrant, ModelPath, ModelTicket } from "../locks/lock-model.ts";

export interface SeenAgent {
  readonly id: string;
  readonly parent: string | undefined;
  /** The parent waits while this agent runs. */
  readonly parentWaits: boolean;
  readonly principal: string;
  readonly limitMs: number;
  seenAt: number;
}

export interface SeenGrant extends ModelGrant {
  readonly fence: string;
  readonly acquiredAt: number;
  readonly ttlMs: number;
  readonly maxHoldMs: number;
  /** Minimum age of the last heartbeat before a recovery, if the lock has to be recovered. */
  readonly graceMs: number | undefined;
  readonly heartbeatAt: number;
  readonly expiresAt: number;
  readonly acceptBy: number;
  /** The agent whose heartbeats renew the grant, if it is not the owner. */
  readonly keeper: string | undefined;
  /** The active job that claims the grant. It does not end meanwhile. */
  readonly job: string | undefined;
}

export interface SeenTicket extends ModelTicket {
  readonly ticket: string;
  readonly leaseMs: number;
  readonly leaseUntil: number;
  readonly upgradesFence: string | undefined;
  /** The ticket leaves the queue when it is free, and its feature may grant the lock. */
  readonly notifyOnly: boolean;
}

/** Upgrades are ahead of all other tickets. Ranks are fractions within an entry, which a larger number would round. */
const othersFrom = 1e9;

/** Maximum tickets of one entry. */
const ticketsPerEntry = 4_096;

export class LockView {
  readonly agents = new Map<string, SeenAgent>();
  readonly ended = new Set<string>();
  /** Agents that ended themselves. Only they release their recoverable locks. */
  readonly endedThemselves = new Set<string>();
  readonly grants = new Map<string, SeenGrant>();
  readonly tickets = new Map<string, SeenTicket>();
  /** The last release request of each author to each grant. */
  readonly releaseRequests = new Map<string, string>();
  epoch = 1;
  lastFence = "0.0";
  /** Prefixes under which a write without a fence is refused while another owner has a lock. */
  enforced: readonly string[] = [];
  /** Ended agents whose locks did not fit into the entry of their end. */
  readonly leaving = new Set<string>();
  /** The last notify-only ticket of each owner that became free, with the position of its entry. */
  readonly freed = new Map<string, { readonly rank: number; readonly position: number }>();
  /** Ended blockers whose waiters did not fit into one entry. */
  readonly handoversLeft = new Set<string>();

  apply(event: Event, entry: Entry): void {
    const { type, data } = event;
    if (type === "space.epoch_raised") this.epoch = data["epoch"] as number;
    else if (type === "locks.configured") this.enforced = data["enforce"] as readonly string[];
    else if (type.startsWith("agent")) this.#applyAgent(event, entry);
    else if (type.startsWith("lock.") && data["of"] === undefined) this.#applyLock(event, entry);
  }

  /** The lists for the comparison by the model. */
  model(): LockModel {
    const model = new LockModel();
    model.grants = [...this.grants.values()];
    model.queue = [...this.tickets.values()];
    const children = [...this.agents.values()].filter(({ parentWaits }) => parentWaits);
    model.waitingParents = new Map(children.map(({ id, parent = "" }) => [id, parent]));
    return model;
  }

  /** The reported end of a lease: no lock outlives the registration of its agent. */
  shownEnd({ owner, expiresAt }: SeenGrant): string {
    const agent = this.agents.get(owner);
    const end = agent === undefined ? Infinity : agent.seenAt + agent.limitMs + Math.floor(agent.limitMs / 12);
    return isoTime(Math.min(expiresAt, end));
  }

  /** True if an ended agent still has a lock or ticket that it must not have. */
  hasOrphans(): boolean {
    return [...this.grants.values(), ...this.tickets.values()].some((item) => this.isOrphaned(item));
  }

  /** True if the owner's agent has ended. A recoverable lock stays if others ended the agent. */
  isOrphaned(item: SeenGrant | SeenTicket): boolean {
    const isRecoverable = "graceMs" in item && item.graceMs !== undefined;
    return this.ended.has(item.owner) && (!isRecoverable || this.endedThemselves.has(item.owner));
  }

  #applyAgent({ type, subject, data }: Event, entry: Entry): void {
    const { time } = entry;
    const id = subject.slice("agent/".length);
    if (type === "agent.registered") {
      const parent = data["parent"] as string | undefined;
      const { principal } = entry;
      const parentWaits = data["parent_waits"] === true;
      this.agents.set(id, { id, parent, parentWaits, principal, limitMs: data["limit_ms"] as number, seenAt: time });
    } else if (type === "agent.ended") {
      this.agents.delete(id);
      this.ended.add(id);
      if (entry.agent === id) this.endedThemselves.add(id);
      if (isFull(entry)) this.leaving.add(id);
    } else {
      for (const seen of type === "agent.resumed" ? [id] : (data["ids"] as readonly string[])) {
        const agent = this.agents.get(seen);
        if (agent !== undefined) agent.seenAt = time;
      }
      if (type === "agents.renewed") this.#beat(new Set(data["ids"] as readonly string[]), { time, data });
    }
  }

  #beat(owners: ReadonlySet<string>, { time, data }: { time: number; data: JsonObject }): void {
    const isInTime = (end: number): boolean => end > time || data["grace"] === true;
    for (const grant of this.grants.values()) {
      // The heartbeats of a keeper renew the locks of its active job only.
      const isBeating = owners.has(grant.owner) || (grant.job !== undefined && owners.has(grant.keeper ?? ""));
      if (isBeating && isInTime(dueOf(grant))) this.grants.set(grant.fence, renewed(grant, time));
    }
    for (const ticket of this.tickets.values()) {
      if (owners.has(ticket.owner) && isInTime(ticket.leaseUntil)) this.#keep(ticket, time);
    }
  }

  #keep(ticket: SeenTicket, time: number): void {
    this.tickets.set(ticket.ticket, { ...ticket, leaseUntil: time + ticket.leaseMs });
  }

  #applyLock({ type, data }: Event, entry: Entry): void {
    const { time } = entry;
    const grant = this.grants.get(data["fence"] as string);
    if (type === "lock.acquired") this.#acquired(data, time);
    else if (changes.has(type)) this.#changed(data, type === "lock.adopted" ? time : undefined);
    else if (freeings.has(type) && grant !== undefined) this.#freed(grant, data);
    else if (type === "lock.refreshed" && grant !== undefined) {
      const ttlMs = (data["ttl_ms"] as number | undefined) ?? grant.ttlMs;
      this.grants.set(grant.fence, renewed({ ...grant, ttlMs }, time));
    } else if (type === "lock.accepted" && grant !== undefined) {
      this.grants.set(grant.fence, { ...grant, acceptBy: Infinity });
    } else if (type === "lock.job_claimed" && grant !== undefined) {
      this.grants.set(grant.fence, { ...grant, job: (data["job"] as string | null) ?? undefined });
    } else if (type === "lock.release_requested") {
      this.releaseRequests.set(requestKey(data), requestText(data));
    } else this.#applyWaiting(type, data, entry);
  }

  #applyWaiting(type: string, data: JsonObject, entry: Entry): void {
    const ticket = this.tickets.get(data["ticket"] as string);
    if (type === "lock.queued") this.#queued(data, entry);
    else if (type === "lock.cancelled") this.#cancelled(data, entry);
    else if (type === "lock.ticket_renewed" && ticket !== undefined) this.#keep(ticket, entry.time);
    else if (type === "lock.handover_left") this.handoversLeft.add(data["blocker_id"] as string);
    else if (type === "lock.handover_done") this.handoversLeft.delete(data["blocker_id"] as string);
  }

  #cancelled(data: JsonObject, { position }: Entry): void {
    const ticket = this.tickets.get(data["ticket"] as string);
    if (ticket === undefined) return;
    if (data["why"] === "free") this.freed.set(ticket.owner, { rank: ticket.rank, position });
    this.tickets.delete(ticket.ticket);
  }

  #acquired(data: JsonObject, time: number): void {
    const ttlMs = data["ttl_ms"] as number;
    const maxHoldMs = (data["max_hold_ms"] as number | undefined) ?? Infinity;
    const acceptMs = (data["accept_ms"] as number | undefined) ?? Infinity;
    this.tickets.delete(data["ticket"] as string);
    this.#grant({
      fence: data["fence"] as string,
      owner: data["owner_id"] as string,
      guards: guardsOf(data),
      paths: pathsOf(data),
      acquiredAt: time,
      ttlMs,
      maxHoldMs,
      graceMs: data["grace_ms"] as number | undefined,
      heartbeatAt: time,
      expiresAt: time + Math.min(ttlMs, maxHoldMs),
      acceptBy: time + acceptMs,
      keeper: data["keeper"] as string | undefined,
      job: data["job"] as string | undefined,
    });
  }

  #grant(grant: SeenGrant): void {
    this.grants.set(grant.fence, grant);
    this.lastFence = grant.fence;
  }

  /** An adopted grant has a new keeper, a new job and a whole lease. */
  #changed(data: JsonObject, adoptedAt: number | undefined): void {
    const before = this.grants.get(data["previous_fence"] as string);
    if (before === undefined) return;
    this.grants.delete(before.fence);
    this.tickets.delete(data["ticket"] as string);
    const owner = data["owner_id"] as string;
    // A transfer knows a registered agent by the form of its id, which the ids of the simulation do not have. So an ended
    // agent becomes an owner without a registration.
    if (before.owner !== owner) this.ended.delete(owner);
    const changed = { ...before, fence: data["fence"] as string, owner, paths: pathsOf(data) };
    const { keeper, job } = data as { readonly keeper: string; readonly job: string };
    this.#grant(adoptedAt === undefined ? changed : { ...renewed(changed, adoptedAt), keeper, job });
  }

  #freed(grant: SeenGrant, data: JsonObject): void {
    const freed = (data["paths"] as readonly string[] | undefined) ?? [data["resource_id"]];
    const paths = grant.paths.filter(({ path }) => !freed.includes(path));
    if (paths.length === 0) this.grants.delete(grant.fence);
    else this.grants.set(grant.fence, { ...grant, paths });
  }

  #queued(data: JsonObject, { time }: Entry): void {
    const ticket = data["ticket"] as string;
    const leaseMs = data["lease_ms"] as number;
    const upgradesFence = data["upgrades"] as string | undefined;
    this.tickets.set(ticket, {
      ticket,
      owner: data["owner_id"] as string,
      paths: data["paths"] as unknown as readonly ModelPath[],
      rank: (upgradesFence === undefined ? othersFrom : 0) + placeOf(data["ticket"] as string),
      leaseMs,
      leaseUntil: time + leaseMs,
      upgradesFence,
      notifyOnly: data["notify_only"] === true,
    });
  }
}

export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

/** True if an entry is so long that some of its consequences may be in the next entries. */
export function isFull({ events }: Entry): boolean {
  return events.length >= lockLimits.eventsPerEntryMax;
}

export const freeings: ReadonlySet<string> = new Set([
  "lock.released",
  "lock.expired",
  "lock.recovered",
  "lock.forced",
]);

export const changes: ReadonlySet<string> = new Set([
  "lock.upgraded",
  "lock.downgraded",
  "lock.transferred",
  "lock.adopted",
]);

/** The owner whose crash the grant is held off for, if it is such a grant. */
export function guardsOf(data: JsonObject): string | undefined {
  return (data["metadata"] as { held_off_after?: string } | undefined)?.held_off_after;
}

export function pathsOf(data: JsonObject): readonly ModelPath[] {
  const paths = (data["paths"] as unknown as readonly ModelPath[] | undefined) ?? [
    { path: data["resource_id"], mode: data["mode"], scope: data["scope"] } as unknown as ModelPath,
  ];
  return paths.map(({ path, mode, scope }) => ({ path, mode, scope }));
}

/** The time from which a grant may be freed. */
export function dueOf({ expiresAt, heartbeatAt, graceMs, acceptBy, job }: SeenGrant): number {
  if (job !== undefined) return Infinity;
  return Math.min(acceptBy, graceMs === undefined ? expiresAt : Math.max(expiresAt, heartbeatAt + graceMs));
}

function renewed(grant: SeenGrant, time: number): SeenGrant {
  const last = grant.acquiredAt + grant.maxHoldMs;
  if (time >= last) return { ...grant, acceptBy: Infinity };
  return { ...grant, heartbeatAt: time, expiresAt: Math.min(time + grant.ttlMs, last), acceptBy: Infinity };
}

/** The grant and the author of a release request. */
export function requestKey({ fence, by }: JsonObject): string {
  return JSON.stringify([fence, by]);
}

export function requestText({ by_owner: owner, reason }: JsonObject): string {
  return JSON.stringify([owner, reason]);
}

/** The place of a ticket in the journal: an entry may queue several. */
function placeOf(ticket: string): number {
  const [, position = 0, number = 0] = ticket.split(".").map(Number);
  return position + number / ticketsPerEntry;
}
