import type { InputOf, lockOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import { spaceFull } from "../../space/space-full.ts";
import type { Event } from "../../../machine/entry.ts";
import { coHoldersOf } from "../tables/co-holders.ts";
import { acceptance, renewTicket, liveTicket } from "./accept-lock.ts";
import { deny } from "../queue/deny.ts";
import { blockerNow, enqueue } from "../queue/enqueue.ts";
import { nextFence } from "../tables/fence.ts";
import { firstLeaseEnd, renewedEnd } from "../tables/grant-folds.ts";
import type { EventPath } from "../tables/grant-folds.ts";
import { expireIfDue, grantView } from "../queue/free-grant.ts";
import { graceOfKinds, shownEnd } from "../queue/grant-next.ts";
import { lockAcquiredEvents, iso, lockSubject } from "../tables/lock-events.ts";
import { gap, holdTable, orderKey, ticketTable } from "../tables/lock-tables.ts";
import type { GrantRow, RequestTerms, TicketRow } from "../tables/lock-tables.ts";
import { countsOf } from "../tables/count-owner.ts";
import type { PathLock } from "../tables/modes.ts";
import { isRefused, ownerOf, refused, ownerLimitRefusal } from "./owner.ts";
import { coversSet, grantsOfSet, isSameSet, mayHoldSet } from "../tables/same-set.ts";
import { kindAt, lockLimits } from "../tables/settings.ts";
import { joinRequest } from "./join-request.ts";
import { showMissed } from "../tables/missed-grants.ts";
import { ticketTimes, timesView } from "../tables/ticket-times.ts";
import { upgradeGrant } from "./upgrade-lock.ts";
import { termsOf, wantedPaths } from "./wanted-paths.ts";
import type { WantedPath } from "./wanted-paths.ts";

type AcquireInput = InputOf<(typeof lockOperations)["acquire-lock"]>;

export const acquireLock: Decide<(typeof lockOperations)["acquire-lock"]> = (input, context) => {
  const caller = ownerOf(input, context);
  if (isRefused(caller)) return caller;
  const { owner } = caller;
  return showMissed(context, owner, acquire(context, owner, input));
};

function acquire(context: DecideContext, owner: string, input: AcquireInput): Decision {
  const paths = wantedPaths(input, context);
  if (isRefused(paths)) return paths;
  const terms = termsOf(input, paths);
  if (isRefused(terms)) return terms;
  const held = heldAlready(context, owner, paths);
  if (held !== undefined) return extendHeld(context, held, paths, terms, input);
  const orderRefusal = input.wait === true ? outOfOrder(context, owner, paths) : undefined;
  if (orderRefusal !== undefined) return orderRefusal;
  // A repeated request keeps its ticket. Its paths are counted already, so no limit and no quota refuses it.
  const ticket = input.wait === true ? waitingAlready(context, owner, paths) : undefined;
  const limitRefusal = ticket === undefined ? ownerLimitRefusal(context, owner, paths.length) : undefined;
  if (limitRefusal !== undefined) return limitRefusal;
  const times = ticketTimes(input);
  const request = { owner, rank: Infinity, paths };
  const blocker = blockerNow(context, request);
  if (blocker === undefined) return spaceFull(context) ?? grant(context, owner, paths, { terms, times });
  if (input.wait !== true) return deny(context, request);
  if (ticket !== undefined) {
    joinRequest(context, ticket);
    return renewTicket(context, ticket);
  }
  return enqueue(context, { request, blocker, terms, times });
}

function grant(
  context: DecideContext,
  owner: string,
  paths: readonly WantedPath[],
  { terms, times }: { readonly terms: RequestTerms; readonly times: ReturnType<typeof ticketTimes> },
): Decision {
  const { time } = context;
  const fence = nextFence(context);
  const expiresAt = shownEnd(context, owner, firstLeaseEnd(terms, time));
  const plain = paths.map(({ path, mode, scope }) => ({ path, mode, scope }));
  const graceMs = graceOfKinds(paths);
  return {
    outcome: done({ granted: true, fence, expires_at: iso(expiresAt) }),
    events: lockAcquiredEvents(context.state, {
      fence,
      owner,
      paths: orderedPaths(paths, plain),
      terms,
      expiresAt,
      graceMs,
      isKeyed: context.command.key !== undefined,
    }),
    attachment: {
      owner_id: owner,
      paths: plain,
      acquired_at: iso(time),
      ttl_seconds: terms.ttlMs / 1000,
      still_held: true,
      ticket_seconds: times.leaseMs / 1000,
      accept_seconds: times.acceptMs / 1000,
    },
  };
}

/** The paths with their rank in the global order, from their kinds. */
function orderedPaths(wanted: readonly WantedPath[], plain: readonly PathLock[]): readonly EventPath[] {
  if (wanted.every(({ kind }) => kind.order === undefined)) return plain;
  return wanted.map(({ path, mode, scope, kind: { order } }) =>
    order === undefined ? { path, mode, scope } : { path, mode, scope, order },
  );
}

/** The owner's live grant of exactly these paths in any mode. An overdue one ends first. */
export function heldAlready(context: DecideContext, owner: string, paths: readonly WantedPath[]): GrantRow | undefined {
  if (!mayHoldSet(context.state, paths)) return undefined;
  let weaker: GrantRow | undefined;
  for (const row of grantsOfSet(context.state, owner, paths)) {
    if (expireIfDue(context, row)) continue;
    // A sufficient grant is preferred to one that needs an upgrade.
    if (coversSet(row.paths, paths)) return row;
    weaker ??= row;
  }
  return weaker;
}

/**
 * The owner's ticket for exactly the same request. An owner that repeats a request, after a lost reply or a lost
 * cancel, keeps its place. A second ticket would wait behind tickets that wait behind the first, which looks like a
 * deadlock.
 */
function waitingAlready(context: DecideContext, owner: string, paths: readonly WantedPath[]): TicketRow | undefined {
  const { state } = context;
  if (countsOf(state, owner).ticketCount === 0) return undefined;
  const prefix = `${owner}${gap}${paths[0]?.path ?? ""}${gap}`;
  for (const row of state.rows(ticketTable).scan("path", { prefix, limit: lockLimits.ticketsPerOwnerMax })) {
    const isSame = isSameSet(row.paths, paths) && row.paths.every(({ mode }, index) => mode === paths[index]?.mode);
    const live = isSame && row.upgrades === undefined ? liveTicket(context, row.ticket) : undefined;
    if (live !== undefined) return live;
  }
  return undefined;
}

/** A repeated request for a held lock gets the same fence. A request for a stronger mode is an upgrade. */
function extendHeld(
  context: DecideContext,
  row: GrantRow,
  paths: readonly WantedPath[],
  terms: RequestTerms,
  input: AcquireInput,
): Decision {
  if (!coversSet(row.paths, paths)) return upgradeGrant(context, row, paths, { wait: input.wait === true });
  const expiresAt = renewedEnd({ ...row, ttlMs: terms.ttlMs }, context.time);
  // The lease is extended, never shortened.
  const kept = expiresAt > row.expiresAt ? { ...row, expiresAt, ttlMs: terms.ttlMs } : row;
  joinRequest(context, row);
  const { fence, ...view } = grantView(context, kept);
  return {
    outcome: done({ granted: true, fence: fence ?? "", expires_at: view["expires_at"] ?? "" }),
    events: kept === row ? acceptance(row) : [refreshedEvent(context, kept)],
    attachment: { ...view, still_held: true, already_held: true, ...timesView(ticketTimes(input)) },
  };
}

function refreshedEvent({ state }: DecideContext, { owner, fence, paths, expiresAt, ttlMs }: GrantRow): Event {
  const path = paths[0]?.path ?? "";
  const data = { resource_id: path, owner_id: owner, expires_at: iso(expiresAt), fence, ttl_ms: ttlMs };
  return { type: "lock.refreshed", subject: lockSubject(path), data: { ...data, ...coHoldersOf(state, path, fence) } };
}

/** On ordered kinds, waiting for a path while holding a later one is refused, since it could cause a deadlock. */
export function outOfOrder(
  { state }: DecideContext,
  owner: string,
  paths: readonly WantedPath[],
): Decision | undefined {
  for (const { path, kind } of paths) {
    if (kind.order === undefined) continue;
    const after = orderKey(owner, kind.order, path);
    const [later] = state.rows(holdTable).scan("order", { prefix: `${owner}${gap}`, after, limit: 1 });
    if (later === undefined) continue;
    const order = `${kind.name} ${path} comes before ${kindAt(state, later.path).name} ${later.path}`;
    return refused("lock_order", { requested: path, held: later.path, order });
  }
  return undefined;
}
