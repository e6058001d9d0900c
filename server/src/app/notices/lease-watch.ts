import { expiringAtMs } from "@holdfast/sdk/contract";
import type { ExpiringNotice } from "@holdfast/sdk/contract";
import type { Clock } from "../../base/clock.ts";
import type { Engine } from "../../engine/engine.ts";
import { shownEnd } from "../../features/locks/queue/grant-next.ts";
import { iso } from "../../features/locks/tables/lock-events.ts";
import { gap, grantTable, holdTable } from "../../features/locks/tables/lock-tables.ts";
import type { GrantRow } from "../../features/locks/tables/lock-tables.ts";
import type { StateReader } from "../../machine/state.ts";
import { journalRefusal } from "../calls/journal-refusal.ts";

interface LeaseWatchOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly owner: string;
  readonly notify: (notice: ExpiringNotice) => void;
}

/** Minimum interval between two checks, so that leases are checked together. */
const checkEveryMs = 250;
/** Interval between checks of an overdue lease. It is held, and may be renewed, until an entry ends it. */
const overdueMs = 1_000;

/**
 * Notifies an owner of expiring leases. It sleeps until the first one could expire. A renewal costs nothing here and is
 * found at the next wake-up.
 */
export class LeaseWatch {
  readonly #options: LeaseWatchOptions;
  /** The end of each lease whose owner was warned. */
  #warned = new Map<string, number>();
  #wakeAt = Infinity;
  #cancel: () => void = () => undefined;

  constructor(options: LeaseWatchOptions) {
    this.#options = options;
  }

  /**
   * Examines all leases of the owner, and sleeps until the next one is about to expire. Returns the notices that the
   * owner already got, for a new listener.
   */
  check(state: StateReader): readonly ExpiringNotice[] {
    const { engine, owner, notify } = this.#options;
    const now = engine.now();
    const warned = this.#warned;
    this.#warned = new Map();
    this.#sleep(Infinity);
    const known: ExpiringNotice[] = [];
    let wakeAt = Infinity;
    for (const row of grantsOf(state, owner)) {
      const endsAt = shownEnd({ state }, owner, row.expiresAt);
      const warnAt = endsAt - expiringAtMs(row.ttlMs);
      if (warnAt > now) {
        wakeAt = Math.min(wakeAt, warnAt);
        continue;
      }
      this.#warned.set(row.fence, endsAt);
      // A renewal or an end shows at the lease's end, or at a later check if it is overdue.
      wakeAt = Math.min(wakeAt, endsAt > now ? endsAt : now + overdueMs);
      const notice = noticeOf(row, endsAt, now);
      if (warned.get(row.fence) === endsAt) known.push(notice);
      else notify(notice);
    }
    this.#sleep(wakeAt);
    return known;
  }

  /** A lease started or changed its length: it may be the next to expire. */
  consider(state: StateReader, fence: string): void {
    const row = state.rows(grantTable).get(fence);
    if (row === undefined) return;
    const warnAt = shownEnd({ state }, row.owner, row.expiresAt) - expiringAtMs(row.ttlMs);
    if (warnAt < this.#wakeAt) this.#sleep(warnAt);
  }

  stop(): void {
    this.#cancel();
  }

  #sleep(wakeAt: number): void {
    const { engine, clock } = this.#options;
    this.#cancel();
    this.#wakeAt = wakeAt;
    if (wakeAt === Infinity) return;
    // A stopping node sends no notices.
    const check = (): void => void engine.scan((state) => void this.check(state)).catch(journalRefusal);
    const delayMs = Math.max(checkEveryMs, wakeAt - engine.now());
    this.#cancel = clock.after(delayMs, check, { keepAlive: false });
  }
}

function grantsOf(state: StateReader, owner: string): readonly GrantRow[] {
  const holds = state.rows(holdTable).scan("owner", { prefix: `${owner}${gap}`, limit: Infinity });
  const fences = new Set(holds.map(({ fence }) => fence));
  return [...fences].flatMap((fence) => state.rows(grantTable).get(fence) ?? []);
}

function noticeOf(row: GrantRow, endsAt: number, now: number): ExpiringNotice {
  return {
    notice: "expiring",
    owner_id: row.owner,
    fence: row.fence,
    paths: row.paths.map(({ path }) => path),
    expires_at: iso(endsAt),
    left_ms: Math.max(0, Math.round(endsAt - now)),
  };
}
