import type { InputOf, lockOperations } from "@holdfast/sdk/contract";
import type { DecideContext, Decision } from "../../../machine/feature.ts";
import { done } from "../../../machine/refusal.ts";
import type { Decide } from "../../rule-of.ts";
import type { Event } from "../../../machine/entry.ts";
import { besideOf } from "../tables/co-holders.ts";
import { acceptance, keepPlace, liveTicket } from "./accept-lock.ts";
import { denied } from "../queue/deny.ts";
import { blockerNow, enqueue } from "../queue/enqueue.ts";
import { nextFence } from "../tables/fence.ts";
import { leaseEnd, renewedEnd } from "../tables/fold-grants.ts";
import { expireIfDue, grantView } from "../queue/free-grant.ts";
import { graceOf, shownEnd, withOrder } from "../queue/grant-next.ts";
import { acquired, iso, lockSubject } from "../tables/lock-events.ts";
import { gap, holdTable, orderKey, ticketTable } from "../tables/lock-tables.ts";
import type { GrantRow, Terms, TicketRow } from "../tables/lock-tables.ts";
import { countsOf } from "../tables/owner-counts.ts";
import { isRefused, ownerOf, refused, unfitOwner } from "./owner.ts";
import { coversSet, grantsOfSet, isSameSet } from "../tables/same-set.ts";
import { kindAt, lockLimits } from "../tables/settings.ts";
import { upgradeGrant } from "./upgrade-lock.ts";
import { termsOf, wantedPaths } from "./parse-acquire.ts";
import type { WantedPath } from "./parse-acquire.ts";

export const acquireLock: Decide<(typeof lockOperations)["acquire-lock"]> = (input, context) => {
  const who = ownerOf(input, context);
  if (isRefused(who)) return who;
  const { owner } = who;
  const paths = wantedPaths(input, context);
  if (isRefused(paths)) return paths;
  const terms = termsOf(input, paths);
  if (isRefused(terms)) return terms;
  const held = heldAlready(context, owner, paths);
  if (held !== undefined) return holdOn(context, held, paths, terms, input);
  const misplaced = input.wait === true ? outOfOrder(context, owner, paths) : undefined;
  if (misplaced !== undefined) return misplaced;
  const unfit = unfitOwner(context, owner, paths.length);
  if (unfit !== undefined) return unfit;
  const wish = { owner, rank: Infinity, paths };
  const blocker = blockerNow(context, wish);
  if (blocker === undefined) return grant(context, owner, paths, terms);
  if (input.wait !== true) return denied(context, wish);
  const waiting = waitingAlready(context, owner, paths);
  if (waiting !== undefined) return keepPlace(context, waiting);
  return enqueue(context, { wish, blocker, terms, ticketSeconds: input.ticket_seconds });
};

function grant(context: DecideContext, owner: string, paths: readonly WantedPath[], terms: Terms): Decision {
  const { time } = context;
  const fence = nextFence(context);
  const expiresAt = shownEnd(context, owner, leaseEnd({ ...terms, acquiredAt: time }, time));
  const plain = paths.map(({ path, mode, scope }) => ({ path, mode, scope }));
  const graceMs = graceOf(context, paths);
  return {
    outcome: done({ granted: true, fence, expires_at: iso(expiresAt) }),
    events: acquired(context.state, { fence, owner, paths: withOrder(context, plain), terms, expiresAt, graceMs }),
    attachment: {
      owner_id: owner,
      paths: plain,
      acquired_at: iso(time),
      ttl_seconds: terms.ttlMs / 1000,
      still_held: true,
    },
  };
}

/** The owner's own grant of exactly these paths, whatever its modes; one that is overdue ends first. */
function heldAlready(context: DecideContext, owner: string, paths: readonly WantedPath[]): GrantRow | undefined {
  let weaker: GrantRow | undefined;
  for (const row of grantsOfSet(context.state, owner, paths)) {
    if (expireIfDue(context, row)) continue;
    // A grant that is enough goes before one that needs an upgrade.
    if (coversSet(row.paths, paths)) return row;
    weaker ??= row;
  }
  return weaker;
}

/**
 * The owner's own ticket for exactly the same. Whoever asks again, since an answer or its cancel got lost, keeps its
 * place: a second ticket would stand behind those who stand behind the first, as if they waited for each other.
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

/** Asking again for what one holds gives the same fence; asking for more is an upgrade. */
function holdOn(
  context: DecideContext,
  row: GrantRow,
  paths: readonly WantedPath[],
  terms: Terms,
  input: InputOf<(typeof lockOperations)["acquire-lock"]>,
): Decision {
  if (!coversSet(row.paths, paths)) return upgradeGrant(context, row, paths, { wait: input.wait === true });
  const expiresAt = renewedEnd({ ...row, ttlMs: terms.ttlMs }, context.time);
  // A lease is made longer by this, never shorter.
  const kept = expiresAt > row.expiresAt ? { ...row, expiresAt, ttlMs: terms.ttlMs } : row;
  const { fence, ...view } = grantView(context, kept);
  return {
    outcome: done({ granted: true, fence: fence ?? "", expires_at: view["expires_at"] ?? "" }),
    events: kept === row ? acceptance(row) : [extended(context, kept)],
    attachment: { ...view, still_held: true, already_held: true },
  };
}

function extended({ state }: DecideContext, { owner, fence, paths, expiresAt, ttlMs }: GrantRow): Event {
  const path = paths[0]?.path ?? "";
  const data = { resource_id: path, owner_id: owner, expires_at: iso(expiresAt), fence, ttl_ms: ttlMs };
  return { type: "lock.refreshed", subject: lockSubject(path), data: { ...data, ...besideOf(state, path, fence) } };
}

/** Who waits for a path while it holds a later one could make others wait for ever: on ordered kinds it is refused. */
function outOfOrder({ state }: DecideContext, owner: string, paths: readonly WantedPath[]): Decision | undefined {
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
