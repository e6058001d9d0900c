/**
 * What is told to an owner while it listens, and is no entry of the journal: it is true at that moment, and it can be
 * asked for at any other. So nothing is kept of it, and whoever was not there misses nothing that counts.
 */
import Type from "typebox";
import type { Static } from "typebox";
import { isoTime, ownerId } from "./agents.ts";
import { fence, holder, lockPath, ticket } from "./lock-parts.ts";

const closed = { additionalProperties: false } as const;

export const placeNotice = Type.Object(
  {
    notice: Type.Literal("place"),
    owner_id: ownerId,
    ticket,
    paths: Type.Array(lockPath),
    place: Type.Integer({ description: "1 goes next." }),
    waits_for: Type.Array(holder, { description: "Holders in the way, at most ten of them." }),
    expires_at: isoTime,
    estimate_ms: Type.Union([Type.Integer(), Type.Null()]),
  },
  { ...closed, description: "A ticket has another place in the line. At most one a second for each ticket." },
);

export const expiringNotice = Type.Object(
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
    description: "A third of a lease is left, and no renewal has come. Once for each lease that gets so far.",
  },
);

export const notice = Type.Union([placeNotice, expiringNotice]);

export type PlaceNotice = Static<typeof placeNotice>;
export type ExpiringNotice = Static<typeof expiringNotice>;
export type Notice = PlaceNotice | ExpiringNotice;

/** A ticket is told its place at most so often. */
export const placeEveryMs = 1_000;

/** A lease is near its end when so little of it is left. Whoever beats in thirds of it has missed a beat by then. */
export const expiringAtMs = (ttlMs: number): number => Math.ceil(ttlMs / 3);

/** What `GET /v1/notices` takes. */
export const noticeQuery = Type.Object(
  { owner: Type.String({ minLength: 1, maxLength: 128, description: "Whose tickets and leases." }) },
  closed,
);

export type NoticeQuery = Static<typeof noticeQuery>;
