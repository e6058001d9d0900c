/**
 * The smallest feature that depends on time, a lease that its holder renews. A timer, or the first command that finds
 * it overdue, expires it. A second timer runs in the grace period and notes each acquired lease. The feature exercises
 * the engine's timers and grace. It also has a second rules number: rules 2 double a lease, so a node that decides by
 * the wrong number differs.
 */
import type { Event } from "../../server/src/machine/entry.ts";
import type { DecideContext, Decision, Feature, Fold, Timer, TimerCommand } from "../../server/src/machine/feature.ts";
import { done, refusal } from "../../server/src/machine/refusal.ts";
import type { StateReader } from "../../server/src/machine/state.ts";
import type { TableSpec } from "../../server/src/machine/table.ts";

export interface Lease {
  readonly name: string;
  readonly holder: string;
  readonly fence: number;
  readonly expiresAt: number;
}

const leaseTable: TableSpec<Lease, "end"> = {
  name: "leases",
  key: (lease) => lease.name,
  sorts: { end: (lease) => String(lease.expiresAt).padStart(16, "0") },
};

/** An acquired lease that is to be noted a moment later, whether or not it still exists. */
interface UnnotedLease {
  readonly fence: number;
  readonly dueAt: number;
}

export const unnotedLeaseTable: TableSpec<UnnotedLease, "due"> = {
  name: "unnoted-leases",
  key: ({ fence }) => String(fence),
  sorts: { due: ({ dueAt }) => String(dueAt).padStart(16, "0") },
};

/** A lease that expired and that no service has reported. */
export const unreportedLeaseTable: TableSpec<Pick<Lease, "fence">, "fence"> = {
  name: "unreported-leases",
  key: ({ fence }) => String(fence),
  sorts: { fence: ({ fence }) => String(fence).padStart(16, "0") },
};

/** A lease that a service has reported. */
const reportedLeaseTable: TableSpec<Pick<Lease, "fence">> = {
  name: "reported-leases",
  key: ({ fence }) => String(fence),
  sorts: {},
};

/** Time after which an acquired lease is noted. It is shorter than the grace period of most seeds. */
const noteAfterMs = 40;

const leaseOf = (state: StateReader, name: string): Lease | undefined => state.rows(leaseTable).get(name);

const event = (type: string, lease: Lease): Event => ({
  type: `lease.${type}`,
  subject: `lease/${lease.name}`,
  data: { name: lease.name, holder: lease.holder, fence: lease.fence, expires_at: lease.expiresAt },
});

/** The rules of the simulated builds. Production carries fewer. */
export const simulatedRules: readonly number[] = [1, 2];

function leaseEnd(ttlMs: number, { time, rules }: DecideContext): number {
  return time + (rules >= 2 ? 2 : 1) * ttlMs;
}

function acquire(input: { name: string; ttl_ms: number }, context: DecideContext): Decision {
  const held = leaseOf(context.state, input.name);
  const isOverdue = held !== undefined && held.expiresAt <= context.time && !context.grace;
  if (held !== undefined && !isOverdue) return { outcome: refusal("lease_held", { holder: held.holder }), events: [] };
  const holder = context.command.principal;
  const { position: fence } = context;
  const expiresAt = leaseEnd(input.ttl_ms, context);
  const acquired = event("acquired", { name: input.name, holder, fence, expiresAt });
  const events = held === undefined ? [acquired] : [event("expired", held), acquired];
  return { outcome: done({ fence, changed: true }), events };
}

function renew(input: { name: string; fence: number; ttl_ms: number }, context: DecideContext): Decision {
  const held = leaseOf(context.state, input.name);
  if (held?.fence !== input.fence) return { outcome: refusal("lease_not_held"), events: [] };
  const renewed = event("renewed", { ...held, expiresAt: leaseEnd(input.ttl_ms, context) });
  return { outcome: done({ fence: held.fence, changed: true }), events: [renewed] };
}

function expire(input: { name: string; fence: number }, context: DecideContext): Decision {
  const held = leaseOf(context.state, input.name);
  if (held?.fence !== input.fence || held.expiresAt > context.time || context.grace) {
    return { outcome: done({ changed: false }), events: [] };
  }
  return { outcome: done({ changed: true }), events: [event("expired", held)] };
}

/** Sent by a timer that runs in the grace period: it ends nothing that a holder could renew. */
function note({ fence }: { fence: number }, { state, time, grace }: DecideContext): Decision {
  const row = state.rows(unnotedLeaseTable).get(String(fence));
  if (row === undefined || row.dueAt > time) return { outcome: done({ changed: false }), events: [] };
  const noted = { type: "lease.noted", subject: `lease-note/${fence}`, data: { fence, grace, due_at: row.dueAt } };
  return { outcome: done({ changed: true }), events: [noted] };
}

/** Sent by a service of every node. The lease itself may be lost with its history. */
function report({ fence }: { fence: number }, { state }: DecideContext): Decision {
  const isFirst = state.rows(reportedLeaseTable).get(String(fence)) === undefined;
  const reported = { type: "lease.reported", subject: `lease-report/${fence}`, data: { fence, is_first: isFirst } };
  return { outcome: done({ fence }), events: [reported] };
}

const foldReported: Fold = (state, { data }) => {
  const fence = data["fence"] as number;
  state.rows(unreportedLeaseTable).delete(`${fence}`);
  state.rows(reportedLeaseTable).put({ fence });
};

const foldAcquired: Fold = (state, event, entry) => {
  foldHeld(state, event, entry);
  state.rows(unnotedLeaseTable).put({ fence: event.data["fence"] as number, dueAt: entry.time + noteAfterMs });
};

const foldNoted: Fold = (state, { data }) => {
  const fence = data["fence"] as number;
  state.rows(unnotedLeaseTable).delete(`${fence}`);
};

const foldHeld: Fold = (state, { data }) => {
  const {
    name,
    holder,
    fence,
    expires_at: expiresAt,
  } = data as unknown as Omit<Lease, "expiresAt"> & { expires_at: number };
  state.rows(leaseTable).put({ name, holder, fence, expiresAt });
};

/**
 * The report may come before the expiry. A rollback loses both entries, and a node that still has the report in its
 * queue sends it first. The lease is then reported already, and the key of the report would prevent a second one.
 */
const foldExpired: Fold = (state, { data }) => {
  const fence = data["fence"] as number;
  state.rows(leaseTable).delete(data["name"] as string);
  if (state.rows(reportedLeaseTable).get(String(fence)) === undefined) state.rows(unreportedLeaseTable).put({ fence });
};

function due(state: StateReader, time: number, limit: number): readonly TimerCommand[] {
  const leases = state.rows(leaseTable).scan("end", { limit });
  return leases
    .filter((lease) => lease.expiresAt <= time)
    .map(({ name, fence }) => ({ id: `expire:${name}:${fence}`, operation: "expire-lease", input: { name, fence } }));
}

const noteTimer: Timer = {
  runsInGrace: true,
  nextTime: (state) => state.rows(unnotedLeaseTable).scan("due", { limit: 1 })[0]?.dueAt,
  due: (state, time, limit) =>
    state
      .rows(unnotedLeaseTable)
      .scan("due", { limit })
      .filter(({ dueAt }) => dueAt <= time)
      .map(({ fence }) => ({ id: `note-lease:${fence}`, operation: "note-lease", input: { fence } })),
};

const fits = (): undefined => undefined;

export const leaseFeature: Feature = {
  name: "leases",
  needs: [],
  tables: [leaseTable, unnotedLeaseTable, unreportedLeaseTable, reportedLeaseTable],
  rules: {
    "acquire-lease": { check: fits, decide: acquire },
    "renew-lease": { check: fits, decide: renew },
    "expire-lease": { check: fits, decide: expire },
    "note-lease": { check: fits, decide: note },
    "report-lease": { check: fits, decide: report },
  },
  folds: {
    "lease.acquired": foldAcquired,
    "lease.renewed": foldHeld,
    "lease.expired": foldExpired,
    "lease.noted": foldNoted,
    "lease.reported": foldReported,
  },
  reactions: {},
  timers: [{ nextTime: (state) => state.rows(leaseTable).scan("end", { limit: 1 })[0]?.expiresAt, due }, noteTimer],
};
