/** A grant and a place in the queue, as replies describe them. */
import Type from "typebox";
import { isoTime, line, ownerId } from "./agents.ts";
import { lockPath, mode, scope, lockedPath } from "./lock-path.ts";

const closed = { additionalProperties: false } as const;

const number = "[1-9][0-9]{0,14}";

export const fence = Type.String({
  pattern: `^${number}\\.${number}(\\.[1-9][0-9]{0,4})?$`,
  description:
    "Identifies one grant: epoch, position, and a number if its entry has earlier events. Fences always increase.",
});

export const ticket = Type.String({
  pattern: `^${number}\\.${number}(\\.[1-9][0-9]{0,4})?$`,
  description: "The id of a queued request.",
});

/** The holder of a lock, as denials and views show it. */
export const holder = Type.Object(
  {
    owner_id: ownerId,
    name: Type.Union([line, Type.Null()]),
    purpose: Type.Union([line, Type.Null()]),
    note: Type.Union([line, Type.Null()]),
    path: lockPath,
    mode,
    scope,
    fence,
    since: isoTime,
    until: isoTime,
  },
  closed,
);

export const grant = Type.Object(
  {
    fence,
    owner_id: ownerId,
    paths: Type.Array(lockedPath),
    acquired_at: isoTime,
    expires_at: isoTime,
    ttl_seconds: Type.Integer(),
  },
  closed,
);

/** The times in force of a ticket, or those that a request asked for. */
export const ticketTimes = {
  ticket_seconds: Type.Optional(Type.Integer({ description: "The lease of the ticket." })),
  accept_seconds: Type.Optional(
    Type.Integer({ description: "Time to accept the grant of the ticket. Absent for an upgrade, which needs none." }),
  ),
};

/** A place in the queue: the number of tickets ahead and an estimate of the wait from recent holds. */
export const place = Type.Object(
  {
    ticket,
    place: Type.Integer({
      description: "1 is the next in the queue. Exact up to 1,000; 1,001 means 1,000 or more tickets ahead.",
    }),
    waits_for: Type.Array(holder, { description: "Blocking holders, at most ten." }),
    expires_at: isoTime,
    estimate_ms: Type.Union([Type.Integer(), Type.Null()]),
    ...ticketTimes,
  },
  closed,
);

/** How the previous lock on a path ended. */
const left = Type.Object(
  {
    path: lockPath,
    how: Type.Enum(["released", "expired", "recovered", "forced"]),
    by: ownerId,
    at: isoTime,
    purpose: Type.Union([line, Type.Null()]),
    note: Type.Union([line, Type.Null()]),
  },
  closed,
);

export const leftBefore = Type.Array(left, {
  description:
    "How the previous lock on each of the first 20 paths ended, if it is among the last 1,000 entries " +
    "about the path. Every reply that describes a grant has it.",
});
