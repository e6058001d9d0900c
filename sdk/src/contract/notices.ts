/**
 * Push messages to a listening owner that are not entries of the journal. A notice is true when it is sent, and the
 * same fact can be read at any time. So the server keeps no notices, and a listener that was disconnected misses
 * nothing.
 */
import Type from "typebox";
import type { Static, TObject } from "typebox";
import { isoTime } from "./agents.ts";
import { fence, holder, ticket } from "./grant.ts";
import type { NoticeType } from "./notice-type.ts";
import { seesLocks } from "./rights.ts";

const place = {
  summary: "The place of a ticket changed. At most one notice per second and ticket.",
  members: {
    ticket,
    place: Type.Integer({ description: "1 is the next in the queue." }),
    waits_for: Type.Array(holder, { description: "Blocking holders, at most ten." }),
    expires_at: isoTime,
    estimate_ms: Type.Union([Type.Integer(), Type.Null()]),
  },
  key: "ticket",
  verbs: seesLocks,
} as const satisfies NoticeType;

const expiring = {
  summary: "A third of a lease is left and no renewal arrived. One notice per lease period.",
  members: {
    fence,
    expires_at: isoTime,
    left_ms: Type.Integer({ minimum: 0 }),
  },
  key: "fence",
  verbs: seesLocks,
} as const satisfies NoticeType;

/** The notices of the features, by word. */
export const notices = { place, expiring };

/** The members of every notice. */
interface NoticeHead<Word extends string> {
  readonly notice: Word;
  readonly owner_id: string;
  readonly paths: readonly string[];
}

type NoticeWith<Word extends keyof typeof notices> = NoticeHead<Word> &
  Static<TObject<(typeof notices)[Word]["members"]>>;

export type PlaceNotice = NoticeWith<"place">;
export type ExpiringNotice = NoticeWith<"expiring">;

/** A notice of a pack. Its word starts with the name of the pack or of one of its resources, and a dot. */
type PackNotice = NoticeHead<`${string}.${string}`> & Readonly<Record<string, unknown>>;

export type Notice = PlaceNotice | ExpiringNotice | PackNotice;

/** Minimum interval between two place notices of one ticket. */
export const placeEveryMs = 1_000;

/**
 * Remaining time at which a lease counts as expiring. A client with a heartbeat interval of a third of the lease has
 * missed one by then.
 */
export const expiringAtMs = (ttlMs: number): number => Math.ceil(ttlMs / 3);

/** The query of `GET /v1/notices`. */
export const noticeQuery = Type.Object(
  { owner: Type.String({ minLength: 1, maxLength: 128, description: "The owner that the notices are for." }) },
  { additionalProperties: false },
);

export type NoticeQuery = Static<typeof noticeQuery>;
