/**
 * Push messages to a listening owner that are not entries of the journal. A notice is true when it is sent, and the
 * same fact can be read at any time. So the server keeps no notices, and a listener that was disconnected misses
 * nothing.
 */
import Type from "typebox";
import type { Static } from "typebox";
import { isoTime, ownerId } from "./agents.ts";
import { fence, holder, ticket } from "./grant.ts";
import { lockPath } from "./lock-path.ts";

const closed = { additionalProperties: false } as const;

const placeNotice = Type.Object(
  {
    notice: Type.Literal("place"),
    owner_id: ownerId,
    ticket,
    paths: Type.Array(lockPath),
    place: Type.Integer({ description: "1 is the next in the queue." }),
    waits_for: Type.Array(holder, { description: "Blocking holders, at most ten." }),
    expires_at: isoTime,
    estimate_ms: Type.Union([Type.Integer(), Type.Null()]),
  },
  { ...closed, description: "The place of a ticket changed. At most one notice per second and ticket." },
);

const expiringNotice = Type.Object(
  {
    notice: Type.Literal("expiring"),
    owner_id: ownerId,
    fence,
    paths: Type.Array(lockPath),
    expires_at: isoTime,
    left_ms: Type.Integer({ minimum: 0 }),
  },
  {
    ...closed,
    description: "A third of a lease is left and no renewal arrived. One notice per lease period.",
  },
);

export const notice = Type.Union([placeNotice, expiringNotice]);

export type PlaceNotice = Static<typeof placeNotice>;
export type ExpiringNotice = Static<typeof expiringNotice>;
export type Notice = PlaceNotice | ExpiringNotice;

/** Minimum interval between two place notices of one ticket. */
export const placeEveryMs = 1_000;

/**
 * Remaining time at which a lease counts as expiring. A client with a heartbeat interval of a third of the lease has
 * missed one by then.
 */
export const expiringAtMs = (ttlMs: number): number => Math.ceil(ttlMs / 3);

/** The query of `GET /v1/notices`. */
export const noticeQuery = Type.Object(
  { owner: Type.String({ minLength: 1, maxLength: 128, description: "The owner of the tickets and leases." }) },
  closed,
);

export type NoticeQuery = Static<typeof noticeQuery>;
