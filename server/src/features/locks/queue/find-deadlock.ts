/**
 * The search for a deadlock, before a request is queued. Owners are the nodes. An edge goes to every owner that holds a
 * conflicting lock or has an earlier conflicting ticket. A parent that waits while its child runs has an edge to it. So
 * a ticket of the child counts as a wait of the parent, at every level.
 *
 * A cycle can only close at the new waiter, so the search starts there and ends when it returns. Three colours prevent
 * that converging waits look like cycles.
 */
import { areInConflict, lockConflicts } from "@holdfast/sdk/base/lock-conflicts";
import type { Event } from "../../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../../machine/state.ts";
import { waitedForChildren, waitingAncestors } from "../../agents/agent-table.ts";
import { coHoldersOf } from "../tables/co-holders.ts";
import { ahead, conflictingHolds, queuesFor } from "./blockers.ts";
import type { Blocker, LockRequest } from "./blockers.ts";
import { lockSubject } from "../tables/lock-events.ts";
import { gap, holdTable, ticketTable, waitCounterTable } from "../tables/lock-tables.ts";
import type { TicketRow, WaitRow } from "../tables/lock-tables.ts";
import type { PathLock } from "../tables/modes.ts";
import { isCovered } from "../tables/own-holds.ts";
import { countsOf } from "../tables/count-owner.ts";
import { anyConflict } from "../tables/path-counters.ts";

/**
 * One step of a cycle: the waiting owner, its path, and the owner that blocks it there. A parent waits for its child at
 * no path.
 */
export type CycleStep =
  | {
      readonly owner_id: string;
      readonly waits_for: string;
      readonly path: string;
      readonly blocked_by: string;
      readonly as: "holder" | "waiter";
    }
  | { readonly owner_id: string; readonly blocked_by: string; readonly as: "child" };

/**
 * Maximum steps of a search. Beyond it the request is refused as a deadlock: such a cycle would be unreadable, and
 * every command would wait for the search.
 */
const stepsMax = 20_000;

export interface Deadlock {
  readonly cycle: readonly CycleStep[];
  readonly isTooLarge: boolean;
}

/**
 * The cycle that a request would close; undefined if there is none. `transferred` is a lock that is about to change its
 * owner.
 */
export function findDeadlock(
  state: StateReader,
  request: LockRequest,
  transferred?: TransferredGrant,
): Deadlock | undefined {
  if (transferred === undefined && !isWaitedFor(state, request)) return undefined;
  const search = new CycleSearch(state, request, transferred);
  return search.run();
}

interface TransferredGrant {
  readonly fence: string;
  readonly to: string;
}

/**
 * No owner can wait for one without locks and tickets. This is the usual case, and it needs no search. The request may
 * also wait for a parent that waits for its owner.
 */
function isWaitedFor(state: StateReader, { owner, rank }: LockRequest): boolean {
  if (rank !== Infinity) return true;
  return hasWaiters(state, owner) || waitingAncestors(state, owner).some((parent) => hasAny(state, parent));
}

function hasAny(state: StateReader, owner: string): boolean {
  const { pathCount, ticketCount } = countsOf(state, owner);
  return pathCount + ticketCount > 0;
}

function hasWaiters(state: StateReader, owner: string): boolean {
  const prefix = `${owner}${gap}`;
  const counts = countsOf(state, owner);
  if (counts.ticketCount > 0) return true;
  if (counts.pathCount === 0) return false;
  for (const hold of state.rows(holdTable).scan("owner", { prefix, limit: Infinity })) {
    if (anyConflict(state, waitCounterTable, hold)) return true;
  }
  return false;
}

/** Searches for a cycle through one owner. */
export class CycleSearch {
  readonly #state: StateReader;
  readonly #request: LockRequest;
  readonly #transferred: TransferredGrant | undefined;
  readonly #done = new Set<string>();
  readonly #covered = new Map<string, boolean>();
  #steps = 0;

  constructor(state: StateReader, request: LockRequest, transferred?: TransferredGrant) {
    this.#state = state;
    this.#request = request;
    this.#transferred = transferred;
  }

  /**
   * No cycle exists before the request, so a new one contains a new edge. A request at the end of the queues adds only edges
   * from itself. The other tickets of its owner are not searched: an owner may have thousands of waiting paths.
   */
  run(): Deadlock | undefined {
    const { owner, rank } = this.#request;
    const isLast = rank === Infinity && this.#transferred === undefined;
    return this.#follow(isLast ? this.#edgesOf(this.#request) : this.#edges(owner));
  }

  /**
   * The cycle through one of the owner's tickets. Several tickets may be searched in sequence, and those in a cycle may
   * be cancelled in between. Cancelling only removes waits, so an owner that did not lead back never will.
   */
  cycleThrough(ticket: TicketRow): Deadlock | undefined {
    return this.#follow(this.#edgesOf(ticket));
  }

  #follow(edges: Generator<CycleStep>): Deadlock | undefined {
    // Owners on the current path are grey, owners without a result are black. Neither is entered again.
    const trail: Frame[] = [{ edges, link: undefined }];
    for (;;) {
      const frame = trail.at(-1);
      if (frame === undefined) return undefined;
      const next = frame.edges.next();
      if (next.done === true) {
        trail.pop();
        continue;
      }
      this.#steps += 1;
      if (this.#steps > stepsMax) return { cycle: [], isTooLarge: true };
      frame.link = next.value;
      const owner = next.value.blocked_by;
      if (owner === this.#request.owner) return { cycle: this.#cycleOf(trail), isTooLarge: false };
      if (this.#done.has(owner)) continue;
      this.#done.add(owner);
      trail.push({ edges: this.#edges(owner), link: undefined });
    }
  }

  /**
   * The path that led back. Its owners are uncoloured again, since a cancellation because of it may change their
   * result.
   */
  #cycleOf(trail: readonly Frame[]): readonly CycleStep[] {
    const cycle = trail.map(({ link }) => link as CycleStep);
    for (const { blocked_by: owner } of cycle) this.#done.delete(owner);
    this.#covered.clear();
    return cycle;
  }

  *#edges(owner: string): Generator<CycleStep> {
    if (owner === this.#request.owner && this.#request.paths.length > 0) yield* this.#edgesOf(this.#request);
    const tickets = this.#state.rows(ticketTable).scan("owner", { prefix: `${owner}${gap}`, limit: Infinity });
    for (const ticket of tickets) yield* this.#edgesOf(ticket);
    for (const child of waitedForChildren(this.#state, owner))
      yield { owner_id: owner, blocked_by: child, as: "child" };
  }

  *#edgesOf(request: LockRequest): Generator<CycleStep> {
    for (const wanted of request.paths) {
      for (const { blocker, path } of this.#blockersOf(request, wanted)) {
        const owner = this.#ownerOf(blocker);
        if (owner === request.owner) continue;
        yield { owner_id: request.owner, waits_for: wanted.path, path, blocked_by: owner, as: blocker.as };
      }
    }
  }

  #ownerOf(blocker: Blocker): string {
    const isTransferred = blocker.as === "holder" && blocker.row.fence === this.#transferred?.fence;
    return isTransferred ? this.#transferred.to : blocker.owner;
  }

  *#blockersOf(
    request: LockRequest,
    wanted: PathLock,
  ): Generator<{ readonly blocker: Blocker; readonly path: string }> {
    const isHeld = this.#isCovered(request.owner, wanted);
    if (!isHeld && this.#isBehindNewRequest(request, wanted)) {
      const row = {
        path: wanted.path,
        relation: "t",
        mode: "write",
        rank: 0,
        ticket: "",
        owner: this.#request.owner,
      } as const;
      yield { blocker: { as: "waiter", owner: this.#request.owner, path: wanted.path, row }, path: wanted.path };
    }
    for (const { path, relation } of isHeld ? [] : queuesFor(wanted)) {
      if (this.#state.rows(waitCounterTable).get(path) === undefined) continue;
      for (const mode of lockConflicts[wanted.mode]) {
        for (const row of ahead(this.#state, { path, relation, mode }, request)) {
          yield { blocker: { as: "waiter", owner: row.owner, path, row }, path };
          if (this.#isBehindAllAhead(row)) break;
        }
      }
    }
    // A transferred lock counts for its next owner, so the old owner must not be excluded as its own.
    const owner = this.#transferred === undefined ? request.owner : "";
    for (const row of conflictingHolds(this.#state, wanted, owner, stepsMax)) {
      yield { blocker: { as: "holder", owner: row.owner, path: row.path, row }, path: row.path };
    }
  }

  /**
   * True if the tickets ahead of this one block it too, so the search reaches them from there. This holds in a queue of
   * tickets that exclude each other. It does not hold for an owner that already has the path: nothing blocks it.
   */
  #isBehindAllAhead({ owner, path, mode, relation }: WaitRow): boolean {
    if (mode === "read" || relation === "b") return false;
    const scope = relation === "t" ? "tree" : "self";
    return !this.#isCovered(owner, { path, mode, scope });
  }

  #isCovered(owner: string, wanted: PathLock): boolean {
    return isCovered(this.#state, owner, wanted, this.#covered);
  }

  /** An upgrade goes ahead of existing tickets, which then wait for it too. */
  #isBehindNewRequest(request: LockRequest, wanted: PathLock): boolean {
    const { rank, paths, owner } = this.#request;
    if (request === this.#request || request.owner === owner || rank >= request.rank) return false;
    return paths.some((other) => areInConflict(other, wanted));
  }
}

interface Frame {
  readonly edges: Generator<CycleStep>;
  link: CycleStep | undefined;
}

/** The data of a deadlock in refusals and events. */
export function deadlockData(owner: string, { cycle, isTooLarge }: Deadlock): JsonObject {
  return { requested_by: owner, cycle: cycle.map((link) => ({ ...link })), too_large: isTooLarge };
}

/** The event that records it in the audit trail. */
export function deadlockEvent(state: StateReader, path: string, data: JsonObject): Event {
  const recorded = { resource_id: path, ...data, ...coHoldersOf(state, path) };
  return { type: "lock.deadlock", subject: lockSubject(path), data: recorded };
}
