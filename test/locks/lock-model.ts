/**
 * A small lock table that is obviously right: it keeps plain lists, compares everything with everything, and after each
 * change grants, in order, whatever can be granted. The machine must always agree with it.
 */
import type { LockMode, LockScope } from "holdfast";

export interface ModelPath {
  readonly path: string;
  readonly mode: LockMode;
  readonly scope: LockScope;
}

export interface ModelGrant {
  readonly owner: string;
  /** Holdfast keeps others away from what this owner lost; what the owner has left there goes on. */
  readonly guards?: string | undefined;
  readonly paths: readonly ModelPath[];
}

export interface ModelTicket extends ModelGrant {
  readonly rank: number;
  readonly upgrades?: ModelGrant;
}

/** A grant that is about to be another owner's. */
interface ModelHanded {
  readonly grant: ModelGrant;
  readonly to: string;
}

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
  /** How many tickets were taken out of the line, since a release made a cycle of their waits. */
  untiedCount = 0;

  acquire(owner: string, paths: readonly ModelPath[], wait: boolean, position: number): string {
    const same = this.sameSets(owner, paths);
    const held = same.find((grant) => coversSet(grant.paths, paths)) ?? same[0];
    if (held !== undefined) {
      return coversSet(held.paths, paths) ? "granted" : this.upgrade(held, paths, wait, position);
    }
    const wish = { owner, paths, rank: 1e15 + position };
    if (!this.isBlocked(wish, paths)) {
      this.grants.push({ owner, paths });
      this.#grantAll();
      return "granted";
    }
    if (!wait) return "lock_denied";
    return this.#waitsAlready(wish) ? "queued" : this.#enqueue(wish);
  }

  /** What an owner has of exactly these paths. Having given back parts of sets, it may have them more than once. */
  sameSets(owner: string, paths: readonly ModelPath[]): readonly ModelGrant[] {
    return this.grants.filter((grant) => grant.owner === owner && sameSet(grant.paths, paths));
  }

  /** An owner that asks again for what it waits for keeps its ticket. */
  #waitsAlready({ owner, paths }: ModelTicket): boolean {
    const isSame = (ticket: ModelTicket): boolean =>
      ticket.upgrades === undefined && coversSet(ticket.paths, paths) && coversSet(paths, ticket.paths);
    return this.queue.some((ticket) => ticket.owner === owner && isSame(ticket));
  }

  upgrade(held: ModelGrant, wanted: readonly ModelPath[], wait: boolean, position: number): string {
    const paths = held.paths.map((one, index) => {
      const { mode } = wanted[index]!;
      return strength[mode] > strength[one.mode] ? { ...one, mode } : one;
    });
    const raised = paths.filter((one, index) => one.mode !== held.paths[index]!.mode);
    if (raised.length === 0) return "granted";
    const upgrades = this.queue.filter((ticket) => ticket.upgrades !== undefined);
    if (upgrades.some((ticket) => ticket.upgrades === held)) return "upgrade_refused";
    const isRival = (ticket: ModelTicket) =>
      ticket.owner !== held.owner &&
      ticket.paths.some((one) => one.mode !== "read" && raised.some((other) => regionsMeet(one, other)));
    if (upgrades.some(isRival)) return "upgrade_refused";
    const wish = { owner: held.owner, paths, rank: position, upgrades: held };
    if (!this.isBlocked(wish, raised)) {
      // Who waited for the weaker mode to go would now wait for its owner.
      if (this.#isInCycle(held.owner, [...this.queue, wish])) return "deadlock";
      this.grants = this.grants.map((grant) => (grant === held ? { ...held, paths } : grant));
      this.#grantAll();
      return "granted";
    }
    return wait ? this.#enqueue(wish) : "lock_denied";
  }

  free(grant: ModelGrant): void {
    this.grants = this.grants.filter((one) => one !== grant);
    this.queue = this.queue.filter((ticket) => ticket.upgrades !== grant);
    this.#grantAll();
    this.#untie(grant.owner);
  }

  /** Some paths of a grant are given back. The upgrade of all of them is over by that. */
  freePart(grant: ModelGrant, freed: readonly string[]): void {
    const paths = grant.paths.filter(({ path }) => !freed.includes(path));
    if (paths.length === 0) {
      this.free(grant);
      return;
    }
    this.grants = this.grants.map((one) => (one === grant ? { ...grant, paths } : one));
    this.queue = this.queue.filter((ticket) => ticket.upgrades !== grant);
    this.#grantAll();
    this.#untie(grant.owner);
  }

  transfer(grant: ModelGrant, to: string): string {
    if (grant.owner === to) return "owner_taken";
    const isKept = this.grants.some(
      (other) =>
        other !== grant && other.owner !== to && other.paths.some((one) => grant.paths.some((two) => clash(one, two))),
    );
    if (isKept) return "lock_denied";
    if (this.#isInCycle(to, this.queue, { grant, to })) return "deadlock";
    this.queue = this.queue.filter((ticket) => ticket.upgrades !== grant);
    this.grants = this.grants.map((one) => (one === grant ? { ...grant, owner: to } : one));
    this.#grantAll();
    this.#untie(grant.owner);
    return "granted";
  }

  downgrade(grant: ModelGrant, mode: LockMode): void {
    const paths = grant.paths.map((one) => (strength[mode] < strength[one.mode] ? { ...one, mode } : one));
    if (paths.every((one, index) => one === grant.paths[index])) return;
    this.queue = this.queue.filter((ticket) => ticket.upgrades !== grant);
    this.grants = this.grants.map((one) => (one === grant ? { ...grant, paths } : one));
    this.#grantAll();
    this.#untie(grant.owner);
  }

  cancel(ticket: ModelTicket): void {
    this.queue = this.queue.filter((one) => one !== ticket);
    this.#grantAll();
  }

  isBlocked(wish: ModelTicket, paths = wish.paths): boolean {
    return paths.some((one) => this.#inTheWay(wish, one).length > 0);
  }

  /** How many are ahead of a ticket, and itself. */
  placeOf(ticket: ModelTicket): number {
    const isAhead = (other: ModelTicket): boolean =>
      other.rank < ticket.rank &&
      other.owner !== ticket.owner &&
      ticket.paths.some((one) => !this.#isCovered(ticket.owner, one) && other.paths.some((two) => clash(one, two)));
    return this.queue.filter(isAhead).length + 1;
  }

  #isCovered(owner: string, one: ModelPath): boolean {
    return this.grants.some((grant) => grant.owner === owner && grant.paths.some((own) => coversPath(own, one)));
  }

  /** The owners of all that is in the way of one path of a wish; a lock that is handed over counts as its next owner's. */
  #inTheWay(wish: ModelTicket, one: ModelPath, queue = this.queue, handed?: ModelHanded): readonly string[] {
    const holders = this.grants
      .filter((grant) => grant.paths.some((other) => clash(one, other)))
      .map((grant) => (grant === handed?.grant ? handed.to : grant.owner));
    const isCovered = this.#isCovered(wish.owner, one);
    const earlier = queue.filter(
      (ticket) => ticket.rank < wish.rank && ticket.paths.some((other) => clash(one, other)),
    );
    const owners = [...holders, ...(isCovered ? [] : earlier.map(({ owner }) => owner))];
    return owners.filter((owner) => owner !== wish.owner);
  }

  #enqueue(wish: ModelTicket): string {
    const queue = [...this.queue, wish];
    if (this.#isInCycle(wish.owner, queue)) return "deadlock";
    this.queue = queue.sort((a, b) => a.rank - b.rank);
    return "queued";
  }

  /** True if an owner waits for itself, over whomever, or does so with one of its tickets alone. */
  #isInCycle(owner: string, queue = this.queue, handed?: ModelHanded, only?: ModelTicket): boolean {
    const reached = new Set<string>();
    const visit = (waits: readonly ModelTicket[]): void => {
      for (const other of waits.flatMap((ticket) =>
        ticket.paths.flatMap((one) => this.#inTheWay(ticket, one, queue, handed)),
      )) {
        if (reached.has(other)) continue;
        reached.add(other);
        visit(queue.filter((ticket) => ticket.owner === other));
      }
    };
    visit(only === undefined ? queue.filter((ticket) => ticket.owner === owner) : [only]);
    return reached.has(owner);
  }

  /** True if some owner waits for itself: all who are in the cycle would wait for ever. */
  hasCycle(): boolean {
    return this.queue.some(({ owner }) => this.#isInCycle(owner));
  }

  /** True if a ticket is part of a cycle: what is in its way waits, in the end, for its owner. */
  isTied(ticket: ModelTicket): boolean {
    return this.#isInCycle(ticket.owner, this.queue, undefined, ticket);
  }

  /** Who gave back what it had of its own wish stands behind others now. If these wait for it, it leaves the line. */
  #untie(owner: string): void {
    for (const ticket of this.queue.filter((one) => one.owner === owner)) {
      if (!this.queue.includes(ticket) || !this.isTied(ticket)) continue;
      this.untiedCount += 1;
      this.cancel(ticket);
    }
  }

  #grantAll(): void {
    for (;;) {
      const next = this.queue.find((ticket) => !this.isBlocked(ticket));
      if (next === undefined) return;
      this.queue = this.queue.filter((ticket) => ticket !== next);
      const { owner, paths, upgrades } = next;
      if (upgrades === undefined) this.#grantOnce(owner, paths);
      else this.grants = this.grants.map((grant) => (grant === upgrades ? { owner, paths } : grant));
    }
  }

  /** An owner that got the same lock by other means gets no second grant. */
  #grantOnce(owner: string, paths: readonly ModelPath[]): void {
    const has = this.grants.some((grant) => grant.owner === owner && coversSet(grant.paths, paths));
    if (!has) this.grants.push({ owner, paths });
  }

  /** No two owners hold what excludes each other. */
  isSound(): boolean {
    const isSame = (a: ModelGrant, b: ModelGrant) =>
      a.owner === b.owner || a.guards === b.owner || b.guards === a.owner;
    return this.grants.every((a) =>
      this.grants.every((b) => isSame(a, b) || !a.paths.some((one) => b.paths.some((other) => clash(one, other)))),
    );
  }
}

/** True if these are the same paths, and whoever has `held` needs nothing more to do what `wanted` allows. */
export function coversSet(held: readonly ModelPath[], wanted: readonly ModelPath[]): boolean {
  return sameSet(held, wanted) && wanted.every(({ mode }, index) => strength[held[index]!.mode] >= strength[mode]);
}

function sameSet(a: readonly ModelPath[], b: readonly ModelPath[]): boolean {
  return a.length === b.length && a.every((one, index) => one.path === b[index]!.path && one.scope === b[index]!.scope);
}

function coversPath(own: ModelPath, wanted: ModelPath): boolean {
  if (strength[own.mode] < strength[wanted.mode]) return false;
  if (own.path === wanted.path) return own.scope === "tree" || wanted.scope === "self";
  return own.scope === "tree" && wanted.path.startsWith(`${own.path}/`);
}
