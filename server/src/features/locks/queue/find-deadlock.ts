/**
 * A deadlock is looked for when somebody would start to wait. Owners are the nodes; an edge goes to everybody who
 * holds, or waits earlier for, something that conflicts. A cycle can only close at whoever starts to wait, so the
 * search goes from there and ends when it comes back. Three colours keep converging waits from looking like cycles.
 */
import { areInConflict, conflicts } from "@holdfast/sdk/base/lock-conflicts";
import type { Event } from "../../../machine/entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../../machine/state.ts";
import { besideOf } from "../tables/co-holders.ts";
import { ahead, conflictingHolds, linesFor } from "./blockers.ts";
import type { Blocker, Wish } from "./blockers.ts";
import { lockSubject } from "../tables/lock-events.ts";
import { gap, holdTable, ticketTable, waitTallyTable } from "../tables/lock-tables.ts";
import type { TicketRow, WaitRow } from "../tables/lock-tables.ts";
import type { LockedPath } from "../tables/modes.ts";
import { isCovered } from "../tables/own-holds.ts";
import { countsOf } from "../tables/owner-counts.ts";
import { anyInTheWay } from "../tables/path-counters.ts";

/** One step of a cycle: who waits for which path, and who is in the way there. */
export interface Link {
  readonly owner_id: string;
  readonly waits_for: string;
  readonly path: string;
  readonly blocked_by: string;
  readonly as: "holder" | "waiter";
}

/** Looking at more than this is taken for a deadlock: nobody could understand the answer, and everybody would wait. */
const stepsMax = 20_000;

export interface Deadlock {
  readonly cycle: readonly Link[];
  readonly isTooLarge: boolean;
}

/** The cycle that a wish would close by waiting; undefined if there is none. `handed` is a lock about to change owners. */
export function findDeadlock(state: StateReader, wish: Wish, handed?: Handed): Deadlock | undefined {
  if (handed === undefined && !isWaitedFor(state, wish)) return undefined;
  const search = new Search(state, wish, handed);
  return search.run();
}

export interface Handed {
  readonly fence: string;
  readonly to: string;
}

/** Nobody can wait for whoever holds nothing and waits for nothing: the usual case, and there is nothing to search. */
function isWaitedFor(state: StateReader, wish: Wish): boolean {
  if (wish.rank !== Infinity) return true;
  const prefix = `${wish.owner}${gap}`;
  const counts = countsOf(state, wish.owner);
  if (counts.ticketCount > 0) return true;
  if (counts.pathCount === 0) return false;
  for (const hold of state.rows(holdTable).scan("owner", { prefix, limit: Infinity })) {
    if (anyInTheWay(state, waitTallyTable, hold)) return true;
  }
  return false;
}

/** Looks for the way back to one owner. */
export class Search {
  readonly #state: StateReader;
  readonly #wish: Wish;
  readonly #handed: Handed | undefined;
  readonly #done = new Set<string>();
  readonly #covered = new Map<string, boolean>();
  #steps = 0;

  constructor(state: StateReader, wish: Wish, handed?: Handed) {
    this.#state = state;
    this.#wish = wish;
    this.#handed = handed;
  }

  run(): Deadlock | undefined {
    return this.#follow(this.#edges(this.#wish.owner));
  }

  /**
   * The cycle that goes through one of the owner's tickets. It may be asked of one after the other, and those in a cycle
   * may be taken out of the line in between: waits only become fewer by that, so who did not lead back never will.
   */
  cycleThrough(ticket: TicketRow): Deadlock | undefined {
    return this.#follow(this.#edgesOf(ticket));
  }

  #follow(edges: Generator<Link>): Deadlock | undefined {
    // Whoever is on the way is grey, whoever was left without a result is black: neither is entered again.
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
      if (owner === this.#wish.owner) return { cycle: this.#toldOf(trail), isTooLarge: false };
      if (this.#done.has(owner)) continue;
      this.#done.add(owner);
      trail.push({ edges: this.#edges(owner), link: undefined });
    }
  }

  /** The way that led back. What is known of those on it holds no longer, once somebody leaves the line because of it. */
  #toldOf(trail: readonly Frame[]): readonly Link[] {
    const cycle = trail.map(({ link }) => link as Link);
    for (const { blocked_by: owner } of cycle) this.#done.delete(owner);
    this.#covered.clear();
    return cycle;
  }

  *#edges(owner: string): Generator<Link> {
    if (owner === this.#wish.owner && this.#wish.paths.length > 0) yield* this.#edgesOf(this.#wish);
    const tickets = this.#state.rows(ticketTable).scan("owner", { prefix: `${owner}${gap}`, limit: Infinity });
    for (const ticket of tickets) yield* this.#edgesOf(ticket);
  }

  *#edgesOf(wish: Wish): Generator<Link> {
    for (const wanted of wish.paths) {
      for (const { blocker, path } of this.#blockersOf(wish, wanted)) {
        const owner = this.#ownerOf(blocker);
        if (owner === wish.owner) continue;
        yield { owner_id: wish.owner, waits_for: wanted.path, path, blocked_by: owner, as: blocker.as };
      }
    }
  }

  #ownerOf(blocker: Blocker): string {
    const isHanded = blocker.as === "holder" && blocker.row.fence === this.#handed?.fence;
    return isHanded ? this.#handed.to : blocker.owner;
  }

  *#blockersOf(wish: Wish, wanted: LockedPath): Generator<{ readonly blocker: Blocker; readonly path: string }> {
    const isMine = this.#isCovered(wish.owner, wanted);
    if (!isMine && this.#isBehindTheWish(wish, wanted)) {
      const row = {
        path: wanted.path,
        standing: "t",
        mode: "write",
        rank: 0,
        ticket: "",
        owner: this.#wish.owner,
      } as const;
      yield { blocker: { as: "waiter", owner: this.#wish.owner, path: wanted.path, row }, path: wanted.path };
    }
    for (const { path, standing } of isMine ? [] : linesFor(wanted)) {
      if (this.#state.rows(waitTallyTable).get(path) === undefined) continue;
      for (const mode of conflicts[wanted.mode]) {
        for (const row of ahead(this.#state, { path, standing, mode }, wish)) {
          yield { blocker: { as: "waiter", owner: row.owner, path, row }, path };
          if (this.#isBehindAllAhead(row)) break;
        }
      }
    }
    // A lock that is handed over counts for its next owner: the old one must not be left out as its own.
    const owner = this.#handed === undefined ? wish.owner : "";
    for (const row of conflictingHolds(this.#state, wanted, owner, stepsMax)) {
      yield { blocker: { as: "holder", owner: row.owner, path: row.path, row }, path: row.path };
    }
  }

  /**
   * True if the waiters ahead of this one block it too, so the search reaches them from there. That holds in a line of
   * waiters that exclude each other. It does not hold for an owner that has the path already: nothing blocks it.
   */
  #isBehindAllAhead({ owner, path, mode, standing }: WaitRow): boolean {
    if (mode === "read" || standing === "b") return false;
    const scope = standing === "t" ? "tree" : "self";
    return !this.#isCovered(owner, { path, mode, scope });
  }

  #isCovered(owner: string, wanted: LockedPath): boolean {
    return isCovered(this.#state, owner, wanted, this.#covered);
  }

  /** An upgrade goes ahead of those who wait already: they would then wait for it too. */
  #isBehindTheWish(wish: Wish, wanted: LockedPath): boolean {
    const { rank, paths, owner } = this.#wish;
    if (wish === this.#wish || wish.owner === owner || rank >= wish.rank) return false;
    return paths.some((other) => areInConflict(other, wanted));
  }
}

interface Frame {
  readonly edges: Generator<Link>;
  link: Link | undefined;
}

/** What a deadlock tells of itself, in answers and events. */
export function deadlockData(owner: string, { cycle, isTooLarge }: Deadlock): JsonObject {
  return { requested_by: owner, cycle: cycle.map((link) => ({ ...link })), too_large: isTooLarge };
}

/** The event by which it is found in the audit trail. */
export function deadlockEvent(state: StateReader, path: string, data: JsonObject): Event {
  const told = { resource_id: path, ...data, ...besideOf(state, path) };
  return { type: "lock.deadlock", subject: lockSubject(path), data: told };
}
