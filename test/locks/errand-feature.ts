/**
 * The smallest feature that uses locks for features: an errand is work under a set of locks that a worker keeps. It waits
 * with a notify-only ticket, and starts in the entry that frees its paths. A lost errand keeps its locks, and its next
 * attempt adopts them.
 */
import type { Event } from "../../server/src/machine/entry.ts";
import type { DecideContext, Decision, Feature, Fold, Reaction } from "../../server/src/machine/feature.ts";
import { done, refusal } from "../../server/src/machine/refusal.ts";
import type { TableSpec } from "../../server/src/machine/table.ts";
import { blockersAt } from "../../server/src/features/locks/for-features/blockers-at.ts";
import { enqueueSet } from "../../server/src/features/locks/for-features/enqueue-set.ts";
import { freeSet, setJob } from "../../server/src/features/locks/for-features/free-set.ts";
import { adoptSet, grantSet } from "../../server/src/features/locks/for-features/grant-set.ts";
import { holdsLock } from "../../server/src/features/locks/for-features/holds-lock.ts";
import { requestRelease } from "../../server/src/features/locks/for-features/request-release.ts";
import type { PathLock } from "../../server/src/features/locks/tables/modes.ts";
import type { JsonObject } from "../../sdk/src/json/json.ts";

export interface Errand {
  readonly id: string;
  readonly paths: readonly PathLock[];
  /** The worker that keeps the locks. */
  readonly keeper: string;
  /** Absent while it waits. */
  readonly fence?: string;
}

export const errandTable: TableSpec<Errand, never> = { name: "errands", key: ({ id }) => id, sorts: {} };

export const errandOwner = (id: string): string => `holdfast:job:${id}`;
const terms = { ttlMs: 8_000, purpose: "errand" };

const noted = (errand: Errand): Event => ({
  type: "errand.noted",
  subject: `errand/${errand.id}`,
  data: errand as unknown as JsonObject,
});

const ended = (id: string): Event => ({ type: "errand.ended", subject: `errand/${id}`, data: { id } });

/** Starts an errand if its paths are free. Otherwise it waits, and the holders are asked to release. */
function start(input: Omit<Errand, "fence"> & { readonly wait_ms?: number }, context: DecideContext): Decision {
  const { id, paths, keeper } = input;
  if (context.state.rows(errandTable).get(id) !== undefined) return { outcome: refusal("errand_exists"), events: [] };
  const owner = errandOwner(id);
  const result = grantSet(context, { owner, keeper, job: id, paths, terms });
  const base = { id, paths, keeper };
  if ("fence" in result)
    return {
      outcome: done({ fence: result.fence }),
      events: [noted({ ...base, fence: result.fence as string })],
    };
  if (result.holders_total + result.queue_length === 0)
    return { outcome: refusal("errand_denied", result), events: [] };
  requestRelease(context, paths, { by: owner, reason: "an errand waits" });
  const leaseMs = input.wait_ms ?? 20_000;
  const { ticket } = enqueueSet(context, { owner, paths, terms, notifyOnly: true, leaseMs });
  return { outcome: done({ ticket }), events: [noted(base)] };
}

/** The paths of a waiting errand are free, or its time to wait is over. A limit may refuse the grant, which ends it. */
const onLeft: Reaction = (event, context) => {
  const { owner_id: owner = "", why } = event.data as { readonly owner_id?: string; readonly why: string };
  const errand = context.state.rows(errandTable).get(owner.slice(errandOwner("").length));
  if (!owner.startsWith(errandOwner("")) || errand === undefined) return [];
  if (why !== "free") return [ended(errand.id)];
  const { id, keeper, paths } = errand;
  const result = grantSet(context, { owner, keeper, job: id, paths, terms });
  if (!("fence" in result)) {
    if (result.holders_total + result.queue_length === 0) return [ended(id)];
    throw new Error(`the paths of ${id} are not free: ${JSON.stringify(result)}`);
  }
  return [noted({ ...errand, fence: result.fence as string })];
};

/** Ends the errand that the keeper proves by its fence. With `part`, only its first path is released. */
function finish(input: { id: string; fence: string; part?: true }, context: DecideContext): Decision {
  const errand = context.state.rows(errandTable).get(input.id);
  const [first] = errand?.paths ?? [];
  if (errand === undefined || first === undefined) return { outcome: refusal("errand_unknown"), events: [] };
  const need = { mode: first.mode, scope: first.scope, fence: input.fence };
  if (!holdsLock(context, first.path, need)) return { outcome: refusal("errand_not_held"), events: [] };
  const isPart = input.part === true && errand.paths.length > 1;
  freeSet(context, input.fence, isPart ? { paths: [first.path] } : {});
  const rest = { ...errand, paths: errand.paths.slice(1) };
  return { outcome: done({}), events: [isPart ? noted(rest) : ended(errand.id)] };
}

/** The worker is lost: the recovery rules apply to the locks. */
function lose({ id }: { id: string }, context: DecideContext): Decision {
  const fence = context.state.rows(errandTable).get(id)?.fence;
  if (fence === undefined) return { outcome: refusal("errand_unknown"), events: [] };
  setJob(context, fence, null);
  return { outcome: done({}), events: [] };
}

/** A new attempt with another worker, and perhaps with more paths. */
function retry(input: { id: string; keeper: string; paths?: readonly PathLock[] }, context: DecideContext): Decision {
  const errand = context.state.rows(errandTable).get(input.id);
  if (errand?.fence === undefined) return { outcome: refusal("errand_unknown"), events: [] };
  const paths = input.paths ?? errand.paths;
  const result = adoptSet(context, errand.fence, { keeper: input.keeper, job: errand.id, paths });
  if (!("fence" in result)) return { outcome: refusal("errand_denied", result), events: [] };
  const next = { id: errand.id, paths: result.paths as readonly PathLock[], keeper: input.keeper };
  return {
    outcome: done({ fence: result.fence }),
    events: [noted({ ...next, fence: result.fence as string })],
  };
}

/** Asks as the caller: whether it holds a lock, and what blocks it. */
function ask(input: { path: string; fence?: string }, context: DecideContext): Decision {
  const { path, fence } = input;
  const isHeld = holdsLock(context, path, { mode: "write", scope: "self", fence });
  const denial = blockersAt(context, path, { count: "queue", fence });
  return { outcome: done({ held: isHeld, blocked_by: denial?.current_owner ?? null }), events: [] };
}

const foldNoted: Fold = (state, { data }) => state.rows(errandTable).put(data as unknown as Errand);
const foldEnded: Fold = (state, { data }) => state.rows(errandTable).delete(data["id"] as string);
const fits = (): undefined => undefined;

export const errandFeature: Feature = {
  name: "errands",
  needs: ["locks"],
  tables: [errandTable],
  rules: {
    "start-errand": { check: fits, decide: start },
    "finish-errand": { check: fits, decide: finish },
    "lose-errand": { check: fits, decide: lose },
    "retry-errand": { check: fits, decide: retry },
    "ask-errand": { check: fits, decide: ask },
  },
  folds: { "errand.noted": foldNoted, "errand.ended": foldEnded },
  reactions: { "lock.cancelled": onLeft },
  timers: [],
};
