import type { Feature } from "../../server/src/machine/feature.ts";
import { done, refusal } from "../../server/src/machine/refusal.ts";
import type { TableSpec } from "../../server/src/machine/table.ts";

interface LeaseRow {
  readonly name: string;
  readonly untilMs: number;
}

export const leases: TableSpec<LeaseRow, "until"> = {
  name: "leases",
  key: (row) => row.name,
  sorts: { until: (row) => String(row.untilMs).padStart(16, "0") },
};

interface LeaseInput {
  readonly name: string;
  readonly ttlMs: number;
}

/** A lease that was held, until a timer that runs in the grace period marks it as seen. */
export const unseenLeases: TableSpec<LeaseRow, "until"> = { ...leases, name: "unseen-leases" };

const acceptAny = (): undefined => undefined;

/** A minimal feature with timers: a lease that is held, renewed, and expired by a timer command. */
export const leaseFeature: Feature = {
  name: "leases",
  needs: [],
  tables: [leases, unseenLeases],
  rules: {
    "hold-lease": {
      check: acceptAny,
      decide: ({ name, ttlMs }: LeaseInput, { time }) => ({
        outcome: done({ until: time + ttlMs }),
        events: [{ type: "lease.held", subject: name, data: { until: time + ttlMs } }],
      }),
    },
    "expire-lease": {
      check: acceptAny,
      decide: ({ name }: LeaseInput, { state, time }) => {
        const lease = state.rows(leases).get(name);
        if (lease === undefined || lease.untilMs > time) return { outcome: refusal("not_due", {}), events: [] };
        return { outcome: done({}), events: [{ type: "lease.expired", subject: name, data: {} }] };
      },
    },
    "see-lease": {
      check: acceptAny,
      decide: ({ name }: LeaseInput) => ({
        outcome: done({}),
        events: [{ type: "lease.seen", subject: name, data: {} }],
      }),
    },
  },
  folds: {
    "lease.held": (state, event, { time }) => {
      state.rows(leases).put({ name: event.subject, untilMs: event.data["until"] as number });
      state.rows(unseenLeases).put({ name: event.subject, untilMs: time + 1_000 });
    },
    "lease.seen": (state, event) => {
      state.rows(unseenLeases).delete(event.subject);
    },
    "lease.expired": (state, event) => {
      state.rows(leases).delete(event.subject);
    },
  },
  reactions: {},
  timers: [
    {
      nextTime: (state) => state.rows(leases).scan("until", { limit: 1 })[0]?.untilMs,
      due: (state, time, limit) =>
        state
          .rows(leases)
          .scan("until", { limit })
          .filter(({ untilMs }) => untilMs <= time)
          .map(({ name, untilMs }) => ({
            id: `expire:${name}:${String(untilMs)}`,
            operation: "expire-lease",
            input: { name },
          })),
    },
    {
      runsInGrace: true,
      nextTime: (state) => state.rows(unseenLeases).scan("until", { limit: 1 })[0]?.untilMs,
      due: (state, time, limit) =>
        state
          .rows(unseenLeases)
          .scan("until", { limit })
          .filter(({ untilMs }) => untilMs <= time)
          .map(({ name, untilMs }) => ({
            id: `see:${name}:${String(untilMs)}`,
            operation: "see-lease",
            input: { name },
          })),
    },
  ],
};
