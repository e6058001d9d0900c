import type { lockOperations } from "@holdfast/sdk/contract";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { coHoldersOf } from "../tables/co-holders.ts";
import { renewedEnd } from "../tables/grant-folds.ts";
import { grantView } from "../queue/free-grant.ts";
import { findHeld } from "../tables/find-held.ts";
import { iso, lockSubject } from "../tables/lock-events.ts";
import { isRefused } from "./owner.ts";
import { kindAt } from "../tables/settings.ts";
import { leaseOf, termsTooLarge } from "./wanted-paths.ts";

/** Extends a lease; the fence stays. An overdue lease ends before this rule runs and stays ended. */
export const renewLock: Decide<(typeof lockOperations)["renew-lock"]> = (input, context) => {
  const row = findHeld(input, context);
  if (isRefused(row)) return row;
  const { state, time } = context;
  const kinds = row.paths.map(({ path }) => ({ kind: kindAt(state, path) }));
  const ttlMs = input.ttl_seconds === undefined ? row.ttlMs : leaseOf(input.ttl_seconds, kinds);
  if (typeof ttlMs !== "number") return ttlMs;
  const tooLarge = input.note === undefined ? undefined : termsTooLarge({ ...row, note: input.note }, "/note");
  if (tooLarge !== undefined) return tooLarge;
  const changed = { ...row, ttlMs, expiresAt: renewedEnd({ ...row, ttlMs }, time) };
  const path = row.paths[0]?.path ?? "";
  const lease = {
    resource_id: path,
    owner_id: row.owner,
    expires_at: iso(changed.expiresAt),
    fence: row.fence,
  };
  const timed = input.ttl_seconds === undefined ? lease : { ...lease, ttl_ms: ttlMs };
  const noted = input.note === undefined ? timed : { ...timed, note: input.note };
  const data = { ...noted, ...coHoldersOf(state, path, row.fence) };
  const { fence, expires_at, ...view } = grantView(context, changed);
  return {
    outcome: done({ fence: fence ?? "", expires_at: expires_at ?? "" }),
    events: [{ type: "lock.refreshed", subject: lockSubject(path), data }],
    attachment: view,
  };
};
