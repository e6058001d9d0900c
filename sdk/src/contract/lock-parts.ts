/** The parts from which the lock operations are built. */
import Type from "typebox";
import { isoTime, line, ownerId } from "./agents.ts";

const closed = { additionalProperties: false } as const;

export const lockPath = Type.String({
  minLength: 1,
  maxLength: 1024,
  description: "What is locked: names and ids between slashes, such as `project/p1/map/m2` or `repo/x/src/a`.",
});

export const mode = Type.Enum(["read", "upgradeable", "write"], {
  description: "`read` shares with reads and one `upgradeable`; `write` with nothing.",
});

export const scope = Type.Enum(["tree", "self"], {
  description: "`tree` (default): the path and all below it. `self`: the record alone.",
});

const number = "[1-9][0-9]{0,14}";

export const fence = Type.String({
  pattern: `^${number}\\.${number}(\\.[1-9][0-9]{0,4})?$`,
  description:
    "The token of a grant: epoch, position, and a number if more came before it in its entry. They only rise.",
});

export const ticket = Type.String({
  pattern: `^${number}\\.${number}$`,
  description: "The name of a place in the queue.",
});

export const seconds = (maximum: number, description: string) => Type.Integer({ minimum: 1, maximum, description });

export const ttlSeconds = seconds(86_400, "The lease: so long without renewal, 1 second to 24 hours.");

const lockedPath = Type.Object({ path: lockPath, mode, scope }, closed);

export const paths = Type.Array(
  Type.Union([
    lockPath,
    Type.Object({ path: lockPath, mode: Type.Optional(mode), scope: Type.Optional(scope) }, closed),
  ]),
  { minItems: 1, maxItems: 1000, description: "All of them or none; sorted and each once, the strongest mode wins." },
);

/** Whose lock it is, if not the calling agent's. An id that is registered can be used by that agent alone. */
export const owner = { owner_id: Type.Optional(ownerId) };

/** Who has a lock, as a denial and a view show it. */
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

/** A place in the queue: how many are ahead and, from recent holds, about how long it may take. */
export const place = Type.Object(
  {
    ticket,
    place: Type.Integer({
      description: "1 goes next. Exact up to 1,000; 1,001 says that 1,000 or more tickets are ahead.",
    }),
    waits_for: Type.Array(holder, { description: "Holders in the way, at most ten of them." }),
    expires_at: isoTime,
    estimate_ms: Type.Union([Type.Integer(), Type.Null()]),
  },
  closed,
);

/** How a path was left by whoever held it before. */
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
    "How each of the first 20 paths was left by whoever held it before, if somebody did within the last 1,000 entries " +
    "about it. It is with every answer that describes a grant: at once, late, or again.",
});
