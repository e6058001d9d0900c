import { placeEveryMs } from "@holdfast/sdk/contract";
import type { PlaceNotice } from "@holdfast/sdk/contract";
import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import { placeView } from "../../features/locks/rules/accept-lock.ts";
import { ancestorsOf } from "../../features/locks/tables/path-fault.ts";
import { ticketTable } from "../../features/locks/tables/lock-tables.ts";
import type { TicketRow } from "../../features/locks/tables/lock-tables.ts";
import type { StateReader } from "../../machine/state.ts";
import { journalRefusal } from "../calls/journal-refusal.ts";

/** A ticket whose owner listens. */
interface FollowedTicket {
  readonly ticket: string;
  readonly owner: string;
  readonly paths: readonly string[];
  /** The place that its owner knows. */
  place: number | undefined;
  notifiedAtMs: number;
  /** Set while an update is due. */
  cancelCheck: (() => void) | undefined;
}

interface PlaceWatchOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly notify: (notice: PlaceNotice) => void;
}

/**
 * Notifies owners of the places of their tickets. A ticket that leaves a queue affects only tickets at the same path, above or below
 * it. So only those are examined, each at most once a second.
 */
export class PlaceWatch {
  readonly #options: PlaceWatchOptions;
  readonly #tickets = new Map<string, FollowedTicket>();
  /** Tickets by the paths that they wait for and by all ancestors of these. */
  readonly #at = new Map<string, Set<FollowedTicket>>();
  readonly #above = new Map<string, Set<FollowedTicket>>();
  readonly #owned = new Map<string, Set<FollowedTicket>>();
  #due: FollowedTicket[] = [];

  constructor(options: PlaceWatchOptions) {
    this.#options = options;
  }

  get isIdle(): boolean {
    return this.#tickets.size === 0;
  }

  /** The paths of a followed ticket. */
  pathsOf(ticket: string): readonly string[] | undefined {
    return this.#tickets.get(ticket)?.paths;
  }

  /** Follows a ticket whose place was in the reply. */
  follow(row: Pick<TicketRow, "ticket" | "owner" | "paths">, place: number | undefined): void {
    if (this.#tickets.has(row.ticket)) return;
    const paths = row.paths.map(({ path }) => path);
    const { ticket, owner } = row;
    const followed: FollowedTicket = { ticket, owner, paths, place, notifiedAtMs: -Infinity, cancelCheck: undefined };
    this.#tickets.set(row.ticket, followed);
    add(this.#owned, row.owner, followed);
    for (const path of paths) {
      add(this.#at, path, followed);
      for (const ancestor of ancestorsOf(path)) add(this.#above, ancestor, followed);
    }
  }

  /** The current place of a ticket, for a new listener. Earlier listeners still know the place that they got. */
  current(state: StateReader, row: TicketRow): PlaceNotice {
    const notice = noticeOf(state, row);
    if (this.#tickets.has(row.ticket)) return notice;
    this.follow(row, undefined);
    const followed = this.#tickets.get(row.ticket);
    if (followed !== undefined) this.#setPlace(followed, notice.place);
    return notice;
  }

  forget(ticket: string): void {
    const followed = this.#tickets.get(ticket);
    if (followed === undefined) return;
    followed.cancelCheck?.();
    this.#tickets.delete(ticket);
    remove(this.#owned, followed.owner, followed);
    for (const path of followed.paths) {
      remove(this.#at, path, followed);
      for (const ancestor of ancestorsOf(path)) remove(this.#above, ancestor, followed);
    }
  }

  forgetOwner(owner: string): void {
    for (const { ticket } of [...(this.#owned.get(owner) ?? [])]) this.forget(ticket);
  }

  /** The queue of a path has moved. */
  touch(path: string): void {
    if (this.isIdle) return;
    for (const followed of this.#at.get(path) ?? []) this.#schedule(followed);
    for (const followed of this.#above.get(path) ?? []) this.#schedule(followed);
    for (const ancestor of ancestorsOf(path)) {
      for (const followed of this.#at.get(ancestor) ?? []) this.#schedule(followed);
    }
  }

  #schedule(followed: FollowedTicket): void {
    if (followed.cancelCheck !== undefined) return;
    const { clock } = this.#options;
    const delayMs = Math.max(0, followed.notifiedAtMs + placeEveryMs - clock.monotonicMs());
    const onDue = (): void => {
      this.#due.push(followed);
      // Examines all due tickets together. A stopping node sends no notices.
      if (this.#due.length === 1) clock.soon(() => void this.#checkDue().catch(journalRefusal));
    };
    followed.cancelCheck = clock.after(delayMs, onDue, { keepAlive: false });
  }

  async #checkDue(): Promise<void> {
    const due = this.#due;
    this.#due = [];
    for (const followed of due) followed.cancelCheck = undefined;
    const { engine, notify } = this.#options;
    const moved = await engine.scan((state) => due.flatMap((followed) => this.#checkPlace(state, followed)));
    for (const notice of moved) notify(notice);
  }

  #checkPlace(state: StateReader, followed: FollowedTicket): readonly PlaceNotice[] {
    const row = state.rows(ticketTable).get(followed.ticket);
    if (row === undefined || this.#tickets.get(followed.ticket) !== followed) return [];
    const notice = noticeOf(state, row);
    if (notice.place === followed.place) return [];
    this.#setPlace(followed, notice.place);
    return [notice];
  }

  #setPlace(followed: FollowedTicket, place: number): void {
    followed.place = place;
    followed.notifiedAtMs = this.#options.clock.monotonicMs();
  }
}

function noticeOf(state: StateReader, row: TicketRow): PlaceNotice {
  const paths = row.paths.map(({ path }) => path);
  return { notice: "place", owner_id: row.owner, paths, ...placeView(state, row) } as unknown as PlaceNotice;
}

function add(index: Map<string, Set<FollowedTicket>>, key: string, followed: FollowedTicket): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, new Set([followed]));
  else known.add(followed);
}

function remove(index: Map<string, Set<FollowedTicket>>, key: string, followed: FollowedTicket): void {
  const known = index.get(key);
  known?.delete(followed);
  if (known?.size === 0) index.delete(key);
}
