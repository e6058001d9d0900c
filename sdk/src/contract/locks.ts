import Type from "typebox";
import type { Static } from "typebox";
import { line, ownerId } from "./agents.ts";
import { fence, grant, leftBefore, lockPath, mode, owner, paths, place, scope } from "./lock-parts.ts";
import { seconds, ticket, ttlSeconds } from "./lock-parts.ts";
import { operation } from "./operation.ts";

const closed = { additionalProperties: false } as const;

const ownerProblems = ["locks_off", "owner_required", "owner_taken", "agent_unknown"] as const;

/** What the calls that change a held lock name: the fence, or a path that the owner holds. */
const held = { fence: Type.Optional(fence), path: Type.Optional(lockPath), ...owner };

const granted = Type.Object(
  {
    granted: Type.Literal(true),
    ...grant.properties,
    ticket: Type.Optional(ticket),
    still_held: Type.Boolean({ description: "False if a repeated request is answered and the grant is gone by now." }),
    already_held: Type.Optional(Type.Boolean({ description: "The owner had it before, and keeps its fence." })),
    left_before: leftBefore,
  },
  closed,
);
const queued = Type.Object(
  {
    granted: Type.Literal(false),
    ...place.properties,
    still_waiting: Type.Optional(
      Type.Boolean({ description: "In the answer to a repeated request: false if the ticket is gone by now." }),
    ),
  },
  closed,
);

export const acquireLock = operation({
  name: "acquire-lock",
  kind: "write",
  summary:
    "Takes one path or a set, all or nothing. Without `wait` it answers at once, granted or denied; with it there is a ticket.",
  input: Type.Object(
    {
      paths,
      mode: Type.Optional(mode),
      scope: Type.Optional(scope),
      wait: Type.Optional(Type.Boolean()),
      ttl_seconds: Type.Optional(ttlSeconds),
      max_hold_seconds: Type.Optional(seconds(604_800, "Ends the hold, renewed or not, after so long.")),
      hold_off_seconds: Type.Optional(seconds(60, "If the holder crashes, nobody gets it for so long.")),
      ticket_seconds: Type.Optional(seconds(3_600, "The lease of the ticket; 30 if not given.")),
      purpose: Type.Optional(line),
      note: Type.Optional(line),
      metadata: Type.Optional(Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), { maxProperties: 32 })),
      ...owner,
    },
    closed,
  ),
  output: Type.Union([granted, queued]),
  problems: [
    ...ownerProblems,
    "path_invalid",
    "lock_denied",
    "lock_order",
    "deadlock",
    "upgrade_refused",
    "lock_limit",
  ],
});

export const releaseLock = operation({
  name: "release-lock",
  kind: "write",
  summary: "Gives a lock back: a grant by its fence, or single paths. Whoever waits next has it in the same entry.",
  input: Type.Object(
    {
      fence: Type.Optional(fence),
      paths: Type.Optional(Type.Array(lockPath, { minItems: 1, maxItems: 1000 })),
      note: Type.Optional(line),
      ...owner,
    },
    closed,
  ),
  output: Type.Object({ released: Type.Array(lockPath) }, closed),
  problems: [...ownerProblems, "path_invalid", "lock_not_held"],
});

export const renewLock = operation({
  name: "renew-lock",
  kind: "write",
  summary: "Extends a lease, and may leave a note on how far the work is. What has expired is not revived.",
  input: Type.Object({ ...held, ttl_seconds: Type.Optional(ttlSeconds), note: Type.Optional(line) }, closed),
  output: grant,
  problems: [...ownerProblems, "path_invalid", "lock_not_held"],
});

export const upgradeLock = operation({
  name: "upgrade-lock",
  kind: "write",
  summary: "Turns a read or upgradeable lock into a write lock, atomically. With `wait` it is the first in the queue.",
  input: Type.Object({ ...held, wait: Type.Optional(Type.Boolean()) }, closed),
  output: Type.Union([granted, queued]),
  problems: [...ownerProblems, "path_invalid", "lock_not_held", "lock_denied", "upgrade_refused", "deadlock"],
});

export const downgradeLock = operation({
  name: "downgrade-lock",
  kind: "write",
  summary: "Turns a lock into a weaker one, atomically: nobody who waits for more can slip in.",
  input: Type.Object({ ...held, mode }, closed),
  output: grant,
  problems: [...ownerProblems, "path_invalid", "lock_not_held"],
});

export const transferLock = operation({
  name: "transfer-lock",
  kind: "write",
  summary: "Hands a lock to another owner, such as from a parent to its child. The old fence ends.",
  input: Type.Object({ ...held, to: ownerId }, closed),
  output: grant,
  problems: [...ownerProblems, "path_invalid", "lock_not_held", "lock_denied", "deadlock"],
});

export const requestRelease = operation({
  name: "request-release",
  kind: "write",
  summary: "Asks whoever holds a path to give it back, with a reason. The holders are told; nothing is taken.",
  input: Type.Object({ path: lockPath, reason: line, ...owner }, closed),
  output: Type.Object({ asked: Type.Array(ownerId) }, closed),
  problems: [...ownerProblems, "path_invalid", "lock_not_held"],
});

export const claimLock = operation({
  name: "claim-lock",
  kind: "write",
  summary: "The sign of life of a waiter: keeps its ticket, and takes up what its ticket was granted.",
  input: Type.Object({ ticket, ...owner }, closed),
  output: Type.Union([granted, queued]),
  problems: [...ownerProblems, "ticket_unknown"],
});

export const cancelTicket = operation({
  name: "cancel-ticket",
  kind: "write",
  summary: "Leaves the queue. A ticket that was granted meanwhile is answered with its grant, which stays.",
  input: Type.Object({ ticket, ...owner }, closed),
  output: Type.Union([Type.Object({ cancelled: ticket }, closed), granted]),
  problems: [...ownerProblems, "ticket_unknown"],
});

const exactly = { fence, reason: line };

export const forceRelease = operation({
  name: "force-release",
  kind: "write",
  summary: "An operator frees the grant with this fence. A recoverable lock is freed only if it may be recovered.",
  input: Type.Object(exactly, closed),
  output: Type.Object({ released: Type.Array(lockPath) }, closed),
  problems: ["locks_off", "not_allowed", "lock_not_held", "not_recoverable"],
});

export const overrideRelease = operation({
  name: "override-release",
  kind: "write",
  summary: "An operator frees the grant with this fence, whatever the conditions of recovery say. Audited by itself.",
  input: Type.Object(exactly, closed),
  output: Type.Object({ released: Type.Array(lockPath) }, closed),
  problems: ["locks_off", "not_allowed", "lock_not_held"],
});

const kindSettings = Type.Object(
  {
    shape: Type.String({ maxLength: 256, description: "Names at even places: `project/map`; `repo/**`: all below." }),
    policy: Type.Enum(["expire", "recover"]),
    ttl_seconds: Type.Optional(ttlSeconds),
    ttl_min_seconds: Type.Optional(ttlSeconds),
    ttl_max_seconds: Type.Optional(ttlSeconds),
    grace_seconds: Type.Optional(seconds(86_400, "Recovery: the heartbeat must be older than this.")),
    order: Type.Optional(Type.Integer({ minimum: 1, maximum: 999, description: "The place in the global order." })),
  },
  closed,
);

export const configureLocks = operation({
  name: "configure-locks",
  kind: "write",
  summary: "An operator switches locks on or off, says under which paths they are enforced, and adds kinds of paths.",
  input: Type.Object(
    {
      lock_manager: Type.Optional(Type.Boolean()),
      enforce: Type.Optional(Type.Array(lockPath, { maxItems: 1000 })),
      kinds: Type.Optional(
        Type.Record(Type.String({ pattern: "^[a-z][a-z0-9_-]{0,31}$" }), kindSettings, { maxProperties: 100 }),
      ),
    },
    closed,
  ),
  output: Type.Object({ lock_manager: Type.Boolean(), enforce: Type.Array(lockPath) }, closed),
  problems: ["not_allowed", "path_invalid"],
});

export const lockOperations = {
  "acquire-lock": acquireLock,
  "release-lock": releaseLock,
  "renew-lock": renewLock,
  "upgrade-lock": upgradeLock,
  "downgrade-lock": downgradeLock,
  "transfer-lock": transferLock,
  "request-release": requestRelease,
  "claim-lock": claimLock,
  "cancel-ticket": cancelTicket,
  "force-release": forceRelease,
  "override-release": overrideRelease,
  "configure-locks": configureLocks,
} as const;

export type Grant = Static<typeof grant>;
export type Granted = Static<typeof granted>;
export type Queued = Static<typeof queued>;
export type LeftBefore = Granted["left_before"][number];
