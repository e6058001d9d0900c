import type { lockOperations } from "@holdfast/sdk/contract";
import type { Event } from "../../../machine/entry.ts";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { coHoldersOf } from "../tables/co-holders.ts";
import { renewedEnd } from "../tables/grant-folds.ts";
import { grantView } from "../queue/free-grant.ts";
import { findHeld, notHeld } from "../tables/find-held.ts";
import { iso, lockSubject } from "../tables/lock-events.ts";
import type { GrantRow } from "../tables/lock-tables.ts";
import { isRefused } from "./owner.ts";
import { kindAt } from "../tables/settings.ts";
import { leaseOf, termsTooLarge } from "./wanted-paths.ts";

interface Renewal {
  readonly row: GrantRow;
  readonly event: Event;
}

interface RenewalTerms {
  readonly ttl_seconds?: number;
  readonly note?: string;
}

/**
 * Extends leases: of all named paths, or of none. The fences stay. An overdue lease ends before this rule runs and stays
 * ended.
 */
export const renewLock: Decide<(typeof lockOperations)["renew-lock"]> = (input, context) => {
  const rows = heldGrants(input, context);
  if (isRefused(rows)) return rows;
  const renewals: Renewal[] = [];
  for (const row of rows) {
    const renewal = renewalOf(row, input, context);
    if (isRefused(renewal)) return renewal;
    renewals.push(renewal);
  }
  const [first, ...others] = renewals.map(({ row }) => grantView(context, row));
  const { fence, expires_at, ...view } = first ?? {};
  const lease = { fence: fence ?? "", expires_at: expires_at ?? "" };
  return {
    outcome: done(others.length === 0 ? lease : { ...lease, others }),
    events: renewals.map(({ event }) => event),
    attachment: view,
  };
};

/** The grants of the named paths, each once, or the one that is named by fence or path. */
function heldGrants(
  input: {
    readonly fence?: string;
    readonly path?: string;
    readonly paths?: readonly string[];
    readonly owner_id?: string;
  },
  context: DecideContext,
): readonly GrantRow[] | Decision {
  const { paths, ...held } = input;
  if (paths === undefined) {
    const row = findHeld(held, context);
    return isRefused(row) ? row : [row];
  }
  const found = new Map<string, GrantRow>();
  for (const path of paths) {
    const row = findHeld({ ...held, path }, context);
    if (isRefused(row)) return row;
    const isPart = row.paths.some((locked) => locked.path === path);
    if (!isPart) return notHeld(row.owner, { path });
    found.set(row.fence, row);
  }
  return [...found.values()];
}

function renewalOf(row: GrantRow, { ttl_seconds, note }: RenewalTerms, context: DecideContext): Renewal | Decision {
  const { state, time } = context;
  const kinds = row.paths.map(({ path }) => ({ kind: kindAt(state, path) }));
  const ttlMs = ttl_seconds === undefined ? row.ttlMs : leaseOf(ttl_seconds, kinds);
  if (typeof ttlMs !== "number") return ttlMs;
  const tooLarge = note === undefined ? undefined : termsTooLarge({ ...row, note }, "/note");
  if (tooLarge !== undefined) return tooLarge;
  const changed = { ...row, ttlMs, expiresAt: renewedEnd({ ...row, ttlMs }, time) };
  const path = row.paths[0]?.path ?? "";
  const lease = {
    resource_id: path,
    owner_id: row.owner,
    expires_at: iso(changed.expiresAt),
    fence: row.fence,
  };
  const timed = ttl_seconds === undefined ? lease : { ...lease, ttl_ms: ttlMs };
  const noted = note === undefined ? timed : { ...timed, note };
  const data = { ...noted, ...coHoldersOf(state, path, row.fence) };
  return { row: changed, event: { type: "lock.refreshed", subject: lockSubject(path), data } };
}
