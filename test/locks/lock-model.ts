/**
 * A small reference lock table. It keeps plain lists and compares everything with everything. After each change it
 * grants, in order, all requests that can be granted. The machine must always agree with it.
 */
import type { LockMode, LockScope } from "holdfast";

export interface ModelPath {
  readonly path: string;
  readonly mode: LockMode;
  readonly scope: LockScope;
}

export interface ModelGrant {
  readonly owner: string;
  /** The owner whose expired paths this hold-off protects. Other locks of that owner continue there. */
  readonly guards?: string | undefined;
  readonly paths: readonly ModelPath[];
  /** The requests that share it. "" is a request without a key. */
  readonly requests?: Set<string>;
}

export interface ModelTicket extends ModelGrant {
  readonly rank: number;
  readonly upgrades?: ModelGrant;
}

/** How a lock is requested. */
interface ModelRequest {
  readonly wait: boolean;
  readonly position: number;
  /** Its key, or "". */
  readonly request: string;
}

/** A grant that is about to belong to another owner. */
interface ModelTransfer {
  readonly grant: ModelGrant;
  readonly to: string;
}

/** Maximum number of requests that a grant or a ticket knows. */
const requestsMax = 32;

const strength = { read: 0, upgradeable: 1, write: 2 };

function modesClash(a: LockMode, b: LockMode): boolean {
  if (a === "write" || b === "write") return true;
  return a === "upgradeable" && b === "upgradeable";
}

function regionsMeet(a: ModelPath, b: ModelPath): boolean {
  if (a.path === b.path) return true;
  if (b.path.startsWith(`${a.path}/`)) return a.scope === "tree";
  return a.path.startsWith(`${b.path}/`) && b.scope === "tree";
}

export function clash(a: ModelPath, b: ModelPath): boolean {
  return regionsMeet(a, b) && modesClash(a.mode, b.mode);
}

export class LockModel {
  grants: ModelGrant[] = [];
  queue: ModelTicket[] = [];
  /** The parent of each agent whose parent waits while it runs. */
  waitingParents: ReadonlyMap<string, string> = new Map();
  /** Number of tickets that were cancelled because a release closed a cycle of waits. */
  deadlockCancelCount = 0;

  acquire(owner: string, paths: readonly ModelPath[], by: ModelRequest): string {
    const { wait, position, request } = by;
    const same = this.sameSets(owner, paths);
    const held = same.find((grant) => coversSet(grant.paths, paths)) ?? same[0];
    if (held !== undefined) {
      if (!coversSet(held.paths, paths)) return this.upgrade(held, paths, by);
      join(held, [request]);
      return "granted";
    }
    const ticket = { owner, paths, rank: 1e15 + position, requests: new Set([request]) };
    if (!this.isBlocked(ticket, paths)) {
      this.grants.push({ owner, paths, requests: new Set([request]) });
      this.#grantAll();
      return "granted";
    }
    if (!wait) return "lock_denied";
    const waiting = this.#waitsAlready(ticket);
    if (waiting === undefined) return this.#enqueue(ticket);
    join(waiting, [request]);
    return "queued";
  }

  /**
   * Withdraws a request. A shared grant or ticket stays. So does a grant that another request waits to upgrade, and it
   * belongs to that request then.
   */
  withdraw(owner: string, request: string): string {
    const isAsked = (item: ModelGrant): boolean => item.owner === owner && item.requests?.has(request) === true;
    const grant = this.grants.find(isAsked);
    if (grant !== undefined) {
      const upgrade = this.queue.find(({ upgrades }) => upgrades === grant);
      grant.requests?.delete(request);
      if (upgrade?.requests?.has(request) === false && grant.requests?.size === 0) join(grant, upgrade.requests);
      if (grant.requests?.size !== 0) return "granted, kept";
      this.free(grant);
      return "granted, released";
    }
    const ticket = this.queue.find(isAsked);
    if (ticket === undefined) return "ended";
    ticket.requests?.delete(request);
    if (ticket.requests?.size !== 0) return "queued, kept";
    this.cancel(ticket);
    return "queued, cancelled";
  }

  /** The owner's grants of exactly these paths. After partial releases there can be more than one. */
  sameSets(owner: string, paths: readonly ModelPath[]): readonly ModelGrant[] {
    return this.grants.filter((grant) => grant.owner === owner && sameSet(grant.paths, paths));
  }

  /** An owner that repeats an acquire keeps its ticket. */
  #waitsAlready({ owner, paths }: ModelTicket): ModelTicket | undefined {
    const isSame = (ticket: ModelTicket): boolean =>
      ticket.upgrades === undefined && coversSet(ticket.paths, paths) && coversSet(paths, ticket.paths);
    return this.queue.find((ticket) => ticket.owner === owner && isSame(ticket));
  }

  upgrade(held: ModelGrant, wanted: readonly ModelPath[], { wait, position, request: by }: ModelRequest): string {
    const paths = held.paths.map((item, index) => {
      const { mode } = wanted[index]!;
      return strength[mode] > strength[item.mode] ? { ...item, mode } : item;
    });
    const raised = paths.filter((item, index) => item.mode !== held.paths[index]!.mode);
    if (raised.length === 0) {
      join(held, [by]);
      return "granted";
    }
    const upgrades = this.queue.filter((ticket) => ticket.upgrades !== undefined);
    if (upgrades.some((ticket) => ticket.upgrades === held)) return "upgrade_refused";
    const isRival = (ticket: ModelTicket) =>
      ticket.owner !== held.owner &&
      ticket.paths.some((item) => item.mode !== "read" && raised.some((other) => regionsMeet(item, other)));
    if (upgrades.some(isRival)) return "upgrade_refused";
    const request = { owner: held.owner, paths, rank: position, upgrades: held, requests: new Set([by]) };
    if (!this.isBlocked(request, raised)) {
      // Requests that waited only for the weaker mode would wait for this owner as well.
      if (this.#isInCycle(held.owner, [...this.queue, request])) return "deadlock";
      join(held, [by]);
      this.grants = this.grants.map((grant) => (grant === held ? { ...held, paths } : grant));
      this.#grantAll();
      return "granted";
    }
    return wait ? this.#enqueue(request) : "lock_denied";
  }

  free(grant: ModelGrant): void {
    this.grants = this.grants.filter((item) => item !== grant);
    this.queue = this.queue.filter((ticket) => ticket.upgrades !== grant);
    this.#grantAll();
    this.#cancelDeadlocked(grant.owner);
  }

  /** Releases some paths of a grant. That ends the upgrade of the whole grant. */
  freePart(grant: ModelGrant, freed: readonly string[]): void {
    const paths = grant.paths.filter(({ path }) => !freed.includes(path));
    if (paths.length === 0) {
      this.free(grant);
      return;
    }
    this.grants = this.grants.map((item) => (item === grant ? { ...grant, paths } : item));
    this.queue = this.queue.filter((ticket) => ticket.upgrades !== grant);
    this.#grantAll();
    this.#cancelDeadlocked(grant.owner);
  }

  transfer(grant: ModelGrant, to: string): string {
    if (grant.owner === to) return "owner_taken";
    const isKept = this.grants.some(
      (other) =>
        other !== grant &&
        other.owner !== to &&
        other.paths.some((item) => grant.paths.some((two) => clash(item, two))),
    );
    if (isKept) return "lock_denied";
    if (this.#isInCycle(to, this.queue, { grant, to })) return "deadlock";
    this.queue = this.queue.filter((ticket) => ticket.upgrades !== grant);
    this.grants = this.grants.map((item) => (item === grant ? { ...grant, owner: to, requests: new Set([""]) } : item));
    this.#grantAll();
    this.#cancelDeadlocked(grant.owner);
    return "granted";
  }

  downgrade(grant: ModelGrant, mode: LockMode): void {
    const paths = grant.paths.map((item) => (strength[mode] < strength[item.mode] ? { ...item, mode } : item));
    if (paths.every((item, index) => item === grant.paths[index])) return;
    this.queue = this.queue.filter((ticket) => ticket.upgrades !== grant);
    this.grants = this.grants.map((item) => (item === grant ? { ...grant, paths } : item));
    this.#grantAll();
    this.#cancelDeadlocked(grant.owner);
  }

  cancel(ticket: ModelTicket): void {
    this.queue = this.queue.filter((item) => item !== ticket);
    this.#grantAll();
  }

  isBlocked(request: ModelTicket, paths = request.paths): boolean {
    return paths.some((item) => this.#blockersOf(request, item).length > 0);
  }

  /** The position of a ticket in the queue: one more than the number of tickets ahead of it. */
  positionOf(ticket: ModelTicket): number {
    const isAhead = (other: ModelTicket): boolean =>
      other.rank < ticket.rank &&
      other.owner !== ticket.owner &&
      ticket.paths.some((item) => !this.isCovered(ticket.owner, item) && other.paths.some((two) => clash(item, two)));
    return this.queue.filter(isAhead).length + 1;
  }

  /** True if an owner holds this, by a lock on the path or on a tree above it. */
  isCovered(owner: string, item: ModelPath): boolean {
    return this.grants.some((grant) => grant.owner === owner && grant.paths.some((own) => coversPath(own, item)));
  }

  /** The owners that block one path of a request. A transferred lock counts as its next owner's. */
  #blockersOf(request: ModelTicket, item: ModelPath, queue = this.queue, transfer?: ModelTransfer): readonly string[] {
    const holders = this.grants
      .filter((grant) => grant.paths.some((other) => clash(item, other)))
      .map((grant) => (grant === transfer?.grant ? transfer.to : grant.owner));
    const isCovered = this.isCovered(request.owner, item);
    const earlier = queue.filter(
      (ticket) => ticket.rank < request.rank && ticket.paths.some((other) => clash(item, other)),
    );
    const owners = [...holders, ...(isCovered ? [] : earlier.map(({ owner }) => owner))];
    return owners.filter((owner) => owner !== request.owner);
  }

  #enqueue(request: ModelTicket): string {
    const queue = [...this.queue, request];
    if (this.#isInCycle(request.owner, queue)) return "deadlock";
    this.queue = queue.sort((a, b) => a.rank - b.rank);
    return "queued";
  }

  /**
   * True if an owner waits for itself, directly or through others. With `only`, counts a single ticket of the owner.
   */
  #isInCycle(owner: string, queue = this.queue, transfer?: ModelTransfer, only?: ModelTicket): boolean {
    const reached = new Set<string>();
    const waitsOf = (waiter: string): readonly string[] => [
      ...queue.filter((ticket) => ticket.owner === waiter).flatMap(blockers),
      ...[...this.waitingParents].filter(([, parent]) => parent === waiter).map(([child]) => child),
    ];
    const blockers = (ticket: ModelTicket): readonly string[] =>
      ticket.paths.flatMap((item) => this.#blockersOf(ticket, item, queue, transfer));
    const next = [...(only === undefined ? waitsOf(owner) : blockers(only))];
    for (let other = next.pop(); other !== undefined; other = next.pop()) {
      if (reached.has(other)) continue;
      reached.add(other);
      next.push(...waitsOf(other));
    }
    return reached.has(owner);
  }

  /** True if some owner waits for itself. All owners in the cycle would wait forever. */
  hasCycle(): boolean {
    return this.queue.some(({ owner }) => this.#isInCycle(owner));
  }

  /** True if a ticket is part of a cycle: its blockers wait, directly or through others, for its owner. */
  isDeadlocked(ticket: ModelTicket): boolean {
    return this.#isInCycle(ticket.owner, this.queue, undefined, ticket);
  }

  /**
   * An owner that releases a part of its own request waits behind others for it. If these wait for the owner, its
   * ticket is cancelled.
   */
  #cancelDeadlocked(owner: string): void {
    for (const ticket of this.queue.filter((item) => item.owner === owner)) {
      if (!this.queue.includes(ticket) || !this.isDeadlocked(ticket)) continue;
      this.deadlockCancelCount += 1;
      this.cancel(ticket);
    }
  }

  #grantAll(): void {
    for (;;) {
      const next = this.queue.find((ticket) => !this.isBlocked(ticket));
      if (next === undefined) return;
      this.queue = this.queue.filter((ticket) => ticket !== next);
      const { upgrades, paths } = next;
      if (upgrades === undefined) this.#grantOnce(next);
      else {
        join(upgrades, next.requests ?? []);
        this.grants = this.grants.map((grant) => (grant === upgrades ? { ...upgrades, paths } : grant));
      }
    }
  }

  /** An owner that got the same lock by other means gets no second grant. */
  #grantOnce({ owner, paths, requests }: ModelTicket): void {
    const has = this.grants.some((grant) => grant.owner === owner && coversSet(grant.paths, paths));
    if (!has) this.grants.push(requests === undefined ? { owner, paths } : { owner, paths, requests });
  }

  /** True if no two owners hold locks that exclude each other. */
  isSound(): boolean {
    const isSame = (a: ModelGrant, b: ModelGrant) =>
      a.owner === b.owner || a.guards === b.owner || b.guards === a.owner;
    return this.grants.every((a) =>
      this.grants.every((b) => isSame(a, b) || !a.paths.some((item) => b.paths.some((other) => clash(item, other)))),
    );
  }
}

/** Adds requests. With too many of them, the oldest ones count as requests without a key. */
function join({ requests }: ModelGrant, added: Iterable<string>): void {
  if (requests === undefined) return;
  for (const request of added) requests.add(request);
  if (requests.size <= requestsMax) return;
  const named = [...requests].filter((request) => request !== "");
  requests.clear();
  for (const request of ["", ...named.slice(1 - requestsMax)]) requests.add(request);
}

/** True if these are the same paths and the modes of `held` include those of `wanted`. */
export function coversSet(held: readonly ModelPath[], wanted: readonly ModelPath[]): boolean {
  return sameSet(held, wanted) && wanted.every(({ mode }, index) => strength[held[index]!.mode] >= strength[mode]);
}

function sameSet(a: readonly ModelPath[], b: readonly ModelPath[]): boolean {
  return (
    a.length === b.length && a.every((item, index) => item.path === b[index]!.path && item.scope === b[index]!.scope)
  );
}

function coversPath(own: ModelPath, wanted: ModelPath): boolean {
  if (strength[own.mode] < strength[wanted.mode]) return false;
  if (own.path === wanted.path) return own.scope === "tree" || wanted.scope === "self";
  return own.scope === "tree" && wanted.path.startsWith(`${own.path}/`);
}
