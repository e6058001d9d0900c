import Type from "typebox";
import { allowance } from "./allowance.ts";
import { agent, host, isoTime, line, missed, ownerId, processId } from "./agents.ts";
import { limit } from "./conditions.ts";
import { fence, grant, holder, leftBefore, place, ticket, ticketTimes } from "./grant.ts";
import { lockPath, mode, scope } from "./lock-path.ts";
import { operation } from "./operation.ts";
import { ofPath, ofTicket, ofWholeSpace, seesLocks } from "./rights.ts";
import type { Touch } from "./rights.ts";
import { get } from "./routes.ts";

const closed = { additionalProperties: false } as const;
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);
const cursor = Type.String({ maxLength: 2_200, description: "The `next` of the previous page." });
const page = { after: Type.Optional(cursor), limit: Type.Optional(limit) };

const lockState = Type.Enum(["held", "stale"], {
  description:
    "`stale`: the lease has passed or its agent was ended, but the lock excludes other owners until it is recovered.",
});

/** A ticket as other callers see it. */
const waiter = Type.Object(
  {
    ticket,
    owner_id: ownerId,
    name: nullable(line),
    purpose: nullable(line),
    path: lockPath,
    mode,
    scope,
    since: isoTime,
    upgrades: nullable(fence),
  },
  closed,
);

const heldBy = Type.Object(
  {
    ...holder.properties,
    state: lockState,
    asked_to_release: nullable(Type.String()),
    seen_at: Type.String({
      description: "Time of the last heartbeat or command of the holder, as far as it is recorded.",
    }),
    host: Type.Optional(host),
    process_id: Type.Optional(processId),
  },
  closed,
);

const lockRow = Type.Object(
  { path: lockPath, kind: Type.String(), holders: Type.Array(heldBy), queue: Type.Array(waiter) },
  closed,
);

/** A grant as a record of a lock table. */
const dalLock = Type.Object(
  {
    lock_id: Type.String({ description: "Path and fence." }),
    owner: ownerId,
    lease_expires: isoTime,
    heartbeat_ts: isoTime,
    metadata: Type.Record(Type.String(), Type.Unknown()),
    resource: lockPath,
    mode,
    state: lockState,
  },
  closed,
);

/** `under` does not narrow the records of all grants or the records of one owner. */
function ofListedLocks(input: { readonly under?: string; readonly owner_id?: string; readonly view?: string }): Touch {
  const { under, owner_id: owner, view } = input;
  if (owner !== undefined) return { owner };
  return under === undefined || view === "dal_locks" ? { space: true } : { paths: [under] };
}

const listLocks = operation({
  name: "list-locks",
  kind: "read",
  summary:
    "Lists all held paths with their holders and queues, by path. `view: dal_locks` returns one record per grant and path.",
  input: Type.Object(
    {
      under: Type.Optional(lockPath),
      owner_id: Type.Optional(ownerId),
      view: Type.Optional(Type.Enum(["paths", "dal_locks"])),
      ...page,
    },
    closed,
  ),
  output: Type.Object({ items: Type.Array(Type.Union([lockRow, dalLock])), next: nullable(cursor) }, closed),
  problems: ["path_invalid"],
  rights: [{ verbs: seesLocks, touches: ofListedLocks }],
  routes: [get("/v1/locks")],
  example: { under: "repo/x", limit: 50 },
});

const lockNow = Type.Object(
  {
    path: lockPath,
    kind: Type.String(),
    holders: Type.Array(heldBy),
    above: Type.Array(heldBy),
    below: Type.Array(heldBy),
    queue: Type.Array(waiter),
  },
  closed,
);

const pastHolder = Type.Object(
  {
    owner_id: ownerId,
    path: lockPath,
    mode,
    scope,
    fence,
    purpose: nullable(line),
    since: isoTime,
    position: Type.Integer({ description: "Position of the entry that made the fence." }),
  },
  closed,
);

const lockThen = Type.Object(
  {
    path: lockPath,
    kind: Type.String(),
    position: Type.Integer({ description: "The requested position, or the last one if that is lower." }),
    holders: Type.Array(pastHolder),
    above: Type.Array(pastHolder),
  },
  closed,
);

const getLock = operation({
  name: "get-lock",
  kind: "read",
  summary:
    "Reads the holders of a path, of its ancestors and of paths below it, and its queue. With `position` " +
    "it reads the holders of the path and its ancestors after that entry, at any age. Such a past view has no paths below, no " +
    "queue and no end of leases, because heartbeats are recorded for all agents at once. Request each path below by itself.",
  input: Type.Object(
    { path: lockPath, position: Type.Optional(Type.Integer({ minimum: 1 })), limit: Type.Optional(limit) },
    closed,
  ),
  output: Type.Union([lockNow, lockThen]),
  problems: ["path_invalid", "history_archived"],
  rights: [{ verbs: seesLocks, touches: ofPath }],
  routes: [get("/v1/locks/status")],
  example: { path: "repo/x/src" },
});

const getTicket = operation({
  name: "get-ticket",
  kind: "read",
  summary: "Reads a ticket: its place and its blockers, or the grant that it became.",
  input: Type.Object({ ticket }, closed),
  output: Type.Union([
    Type.Object({ state: Type.Literal("waiting"), ...place.properties, missed: Type.Optional(missed) }, closed),
    Type.Object(
      {
        state: Type.Literal("granted"),
        ...grant.properties,
        left_before: leftBefore,
        ...ticketTimes,
        missed: Type.Optional(missed),
      },
      closed,
    ),
  ]),
  problems: ["ticket_unknown"],
  rights: [{ verbs: seesLocks, touches: ofTicket }],
  routes: [get("/v1/tickets/{ticket}", { waits: "grant" })],
  example: { ticket: "1.18" },
});

const whoAmI = operation({
  name: "who-am-i",
  kind: "read",
  summary:
    "Reads the principal and the rights of the caller, and the locks and tickets of the calling agent or " +
    "the named owner, with their times.",
  input: Type.Object({ owner_id: Type.Optional(ownerId), ...page }, closed),
  output: Type.Object({
    principal: Type.String(),
    allow: Type.Array(allowance, { description: "The rights of the caller." }),
    token_expires_at: Type.Union([isoTime, Type.Null()], { description: "Null if the rights do not expire." }),
    agent: nullable(Type.Object({ ...agent.properties, ended_at: Type.Optional(isoTime) }, closed)),
    holds: Type.Array(Type.Object({ ...grant.properties, purpose: nullable(line), state: lockState }, closed)),
    waits: Type.Array(waiter),
    missed: Type.Optional(missed),
    next: nullable(cursor),
  }),
  problems: ["agent_unknown"],
  // Every caller may read its own rights and its own locks.
  rights: [
    {
      verbs: seesLocks,
      touches: ({ owner_id: owner }) => ({ owner }),
      isNeeded: ({ owner_id: owner }) => owner !== undefined,
    },
  ],
  routes: [get("/v1/agents/me")],
  isAboutCaller: true,
  example: {},
});

/** A ticket with everything that blocks it. */
const wait = Type.Object(
  {
    ticket,
    owner_id: ownerId,
    paths: Type.Array(Type.Object({ path: lockPath, mode, scope }, closed)),
    since: isoTime,
    upgrades: nullable(fence),
    watches: Type.String({
      description: "The ticket or fence whose end makes the machine examine this ticket again.",
    }),
    blockers: Type.Array(
      Type.Object(
        {
          owner_id: ownerId,
          path: lockPath,
          as: Type.Enum(["holder", "waiter"]),
          mode,
          fence: Type.Optional(fence),
          ticket: Type.Optional(ticket),
        },
        closed,
      ),
      { description: "The blockers with their paths, holders first, then earlier tickets; at most 20." },
    ),
    blockers_total: Type.Integer({ description: "Number of blockers; 200 means 200 or more." }),
  },
  closed,
);

const listWaits = operation({
  name: "list-waits",
  kind: "read",
  summary: "Lists the wait-for graph: every ticket with everything that blocks it, in the order of the tickets.",
  input: Type.Object(page, closed),
  output: Type.Object({ items: Type.Array(wait), next: nullable(cursor) }, closed),
  problems: [],
  rights: [{ verbs: seesLocks, touches: ofWholeSpace }],
  routes: [get("/v1/locks/waits")],
  example: { limit: 50 },
});

const lockHistoryItem = Type.Object(
  {
    position: Type.Integer(),
    time: isoTime,
    by: Type.Object({ principal: Type.String(), agent: Type.Optional(Type.String()) }, closed),
    operation: Type.String(),
    event: Type.String({ description: "The event's published name, such as `evt.lock.acquired`." }),
    data: Type.Unknown({ description: "The data of the event. The events page lists its members." }),
  },
  closed,
);

const listLockHistory = operation({
  name: "list-lock-history",
  kind: "read",
  summary:
    "Lists the history of a path, newest first. Other paths of a set appear only if the caller may read or lock them. " +
    "`next` is the `before` of the next page, null at the end. A page may be short.",
  input: Type.Object(
    { path: lockPath, before: Type.Optional(Type.Integer({ minimum: 1 })), limit: Type.Optional(limit) },
    closed,
  ),
  output: Type.Object({ items: Type.Array(lockHistoryItem), next: nullable(Type.Integer()) }, closed),
  problems: ["path_invalid"],
  rights: [{ verbs: seesLocks, touches: ofPath }],
  routes: [get("/v1/locks/history")],
  example: { path: "repo/x/src", limit: 20 },
});

/** The reason for a fence that no live grant has. A fence out of the caller's reach gets it too. */
export const unknownFence = "no live grant has this fence";

const checkFence = operation({
  name: "check-fence",
  kind: "read",
  summary: "Checks for an outside resource whether a fence belongs to a live grant that covers the path.",
  input: Type.Object({ path: lockPath, fence, mode: Type.Optional(mode) }, closed),
  output: Type.Object({ valid: Type.Boolean(), reason: Type.Union([Type.String(), Type.Null()]) }, closed),
  problems: ["path_invalid"],
  rights: [{ verbs: seesLocks, touches: ofPath }],
  routes: [get("/v1/locks/check-fence")],
  isAboutGrant: true,
  example: { path: "repo/x/src/a.ts", fence: "1.17", mode: "write" },
});

export const lockViews = {
  "list-locks": listLocks,
  "get-lock": getLock,
  "get-ticket": getTicket,
  "who-am-i": whoAmI,
  "list-waits": listWaits,
  "list-lock-history": listLockHistory,
  "check-fence": checkFence,
} as const;
