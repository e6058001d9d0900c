import Type from "typebox";
import { line, missed, ownerId } from "./agents.ts";
import { fence, grant, leftBefore, place, ticketTimes } from "./grant.ts";
import { lockPath, mode, owner, paths, scope } from "./lock-path.ts";
import { ticket } from "./grant.ts";
import { seconds, ttlSeconds } from "./lock-path.ts";
import { operation } from "./operation.ts";
import { ofCaller, ofFence, ofHeldLock, ofPath, ofTicket, ofWholeSpace } from "./rights.ts";
import { post, remove } from "./routes.ts";
import { withdrawableOperations } from "./withdrawals.ts";

const closed = { additionalProperties: false } as const;

const ownerProblems = ["locks_off", "owner_required", "owner_taken", "agent_unknown"] as const;

/** Identifies a held lock: the fence, or a path that the owner holds. */
const held = { fence: Type.Optional(fence), path: Type.Optional(lockPath), ...owner };

const granted = Type.Object(
  {
    granted: Type.Literal(true),
    ...grant.properties,
    ticket: Type.Optional(ticket),
    still_held: Type.Boolean({ description: "False in the reply to a repeated request whose grant has ended." }),
    already_held: Type.Optional(Type.Boolean({ description: "The owner already held the lock and keeps its fence." })),
    left_before: leftBefore,
    ...ticketTimes,
    missed: Type.Optional(missed),
  },
  closed,
);
const queued = Type.Object(
  {
    granted: Type.Literal(false),
    ...place.properties,
    still_waiting: Type.Optional(
      Type.Boolean({ description: "False in the reply to a repeated request whose ticket has ended." }),
    ),
    missed: Type.Optional(missed),
  },
  closed,
);

const acquireLock = operation({
  name: "acquire-lock",
  kind: "write",
  summary:
    "Acquires one path or a set, all or nothing. Without `wait` the reply is a grant or a denial. With `wait` the request is queued.",
  input: Type.Object(
    {
      paths,
      mode: Type.Optional(mode),
      scope: Type.Optional(scope),
      wait: Type.Optional(Type.Boolean()),
      ttl_seconds: Type.Optional(ttlSeconds),
      max_hold_seconds: Type.Optional(
        seconds(604_800, "Maximum hold: the lock ends after this time even if it is renewed."),
      ),
      hold_off_seconds: Type.Optional(seconds(60, "If the holder crashes, no owner gets the lock during this time.")),
      ticket_seconds: Type.Optional(seconds(3_600, "The lease of the ticket; 30 if absent.")),
      accept_seconds: Type.Optional(
        seconds(600, "Time to accept the grant of the ticket; 10 if absent. Afterwards the next ticket gets the lock."),
      ),
      purpose: Type.Optional(line),
      note: Type.Optional(line),
      metadata: Type.Optional(
        Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
          maxProperties: 32,
          description: "Data for readers of the lock. Metadata, purpose and note have at most 4 KiB of JSON together.",
        }),
      ),
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
    "space_full",
    "request_withdrawn",
  ],
  rights: [
    {
      verbs: ["lock"],
      touches: ({ paths }) => ({ paths: paths.map((path) => (typeof path === "string" ? path : path.path)) }),
    },
  ],
  routes: [post("/v1/locks/acquire", { waits: "grant" })],
  acquires: "named-modes",
  // A copy that arrives after the grant has ended would queue again. A key turns that copy into a replay.
  isRepeatable: "unless-it-waits",
  example: { paths: ["repo/x/src"], mode: "write", ttl_seconds: 60, purpose: "renaming a module", wait: true },
});

const releaseLock = operation({
  name: "release-lock",
  kind: "write",
  summary: "Releases a lock: a grant by its fence, or single paths. The same entry grants the next ticket.",
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
  rights: [{ verbs: ["lock"], touches: ofHeldLock }],
  routes: [post("/v1/locks/release")],
  example: { fence: "1.17" },
});

const renewLock = operation({
  name: "renew-lock",
  kind: "write",
  summary: "Extends a lease. `note` can describe the progress of the work. An ended grant is never revived.",
  input: Type.Object(
    {
      ...held,
      paths: Type.Optional(Type.Array(lockPath, { minItems: 1, maxItems: 1000, description: "All of them or none." })),
      ttl_seconds: Type.Optional(ttlSeconds),
      note: Type.Optional(line),
    },
    closed,
  ),
  output: Type.Object(
    {
      ...grant.properties,
      others: Type.Optional(Type.Array(grant, { description: "The other grants that the renewed paths are part of." })),
    },
    closed,
  ),
  problems: [...ownerProblems, "path_invalid", "lock_not_held"],
  rights: [{ verbs: ["lock"], touches: ofHeldLock }],
  routes: [post("/v1/locks/renew")],
  isRepeatable: "always",
  example: { fence: "1.17", ttl_seconds: 60, note: "half done" },
});

const upgradeLock = operation({
  name: "upgrade-lock",
  kind: "write",
  summary:
    "Turns a read or upgradeable lock into a write lock, atomically. With `wait` it goes to the front of the queue.",
  input: Type.Object({ ...held, wait: Type.Optional(Type.Boolean()) }, closed),
  output: Type.Union([granted, queued]),
  problems: [
    ...ownerProblems,
    "path_invalid",
    "lock_not_held",
    "lock_denied",
    "upgrade_refused",
    "deadlock",
    "space_full",
    "request_withdrawn",
  ],
  rights: [{ verbs: ["lock"], touches: ofHeldLock }],
  routes: [post("/v1/locks/upgrade", { waits: "grant" })],
  acquires: "write",
  example: { fence: "1.17", wait: true },
});

const downgradeLock = operation({
  name: "downgrade-lock",
  kind: "write",
  summary: "Turns a lock into a weaker one, atomically. No stronger request can be granted in between.",
  input: Type.Object({ ...held, mode }, closed),
  output: grant,
  problems: [...ownerProblems, "path_invalid", "lock_not_held"],
  rights: [{ verbs: ["lock"], touches: ofHeldLock }],
  routes: [post("/v1/locks/downgrade")],
  example: { fence: "1.17", mode: "read" },
});

const transferLock = operation({
  name: "transfer-lock",
  kind: "write",
  summary:
    "Transfers a lock to another owner, for example from a parent to its child. The old fence ends. An owner of another " +
    "principal must have a ticket for the same paths.",
  input: Type.Object({ ...held, to: ownerId }, closed),
  output: grant,
  problems: [
    ...ownerProblems,
    "path_invalid",
    "lock_not_held",
    "lock_denied",
    "lock_limit",
    "transfer_refused",
    "deadlock",
  ],
  rights: [{ verbs: ["lock"], touches: ofHeldLock }],
  routes: [post("/v1/locks/transfer")],
  example: { fence: "1.17", to: "bob" },
});

const requestRelease = operation({
  name: "request-release",
  kind: "write",
  summary:
    "Asks the holders of a path to release it, with a reason. The holders are notified and keep their locks. The author " +
    "is the calling agent, or else the principal. An equal repeated request is not recorded again.",
  input: Type.Object({ path: lockPath, reason: line, ...owner }, closed),
  output: Type.Object({ asked: Type.Array(ownerId) }, closed),
  problems: [...ownerProblems, "path_invalid", "lock_not_held"],
  rights: [{ verbs: ["lock"], touches: ofPath }],
  routes: [post("/v1/locks/request-release")],
  example: { path: "repo/x/src", reason: "a fix must go out" },
});

const acceptLock = operation({
  name: "accept-lock",
  kind: "write",
  summary: "Renews a ticket, or accepts its lock if the ticket is granted.",
  input: Type.Object({ ticket, ...owner }, closed),
  output: Type.Union([granted, queued]),
  problems: [...ownerProblems, "ticket_unknown"],
  rights: [{ verbs: ["lock"], touches: ofTicket }],
  routes: [post("/v1/locks/accept")],
  isRepeatable: "always",
  example: { ticket: "1.18" },
});

const cancelTicket = operation({
  name: "cancel-ticket",
  kind: "write",
  summary: "Cancels a ticket. If it was granted in the meantime, the reply is the grant, which stays.",
  input: Type.Object({ ticket, ...owner }, closed),
  output: Type.Union([Type.Object({ cancelled: ticket }, closed), granted]),
  problems: [...ownerProblems, "ticket_unknown"],
  rights: [{ verbs: ["lock"], touches: ofTicket }],
  routes: [post("/v1/locks/cancel"), remove("/v1/tickets/{ticket}")],
  example: { ticket: "1.18" },
});

const withdrawRequest = operation({
  name: "withdraw-request",
  kind: "write",
  summary:
    "Withdraws a request by its idempotency key, whether it has arrived or not. Its grant is released and its ticket is " +
    "cancelled, unless other requests of the owner share them. A late copy is refused. A repeat gets the same answer.",
  input: Type.Object(
    {
      operation: Type.Enum([...withdrawableOperations], { description: "The operation of the request." }),
      key: Type.String({ maxLength: 255, pattern: "^[ !#-[\\]-~]+$", description: "Its idempotency key." }),
      ...owner,
    },
    closed,
  ),
  output: Type.Object(
    {
      found: Type.Enum(["granted", "queued", "ended", "none"], {
        description: "The state of the request: `ended` if it is over already, `none` if it never arrived.",
      }),
      released: Type.Optional(Type.Array(lockPath, { description: "Empty if other requests share the grant." })),
      cancelled: Type.Optional(ticket),
    },
    closed,
  ),
  problems: ownerProblems,
  // Only its sender knows the key of a request, and the request itself needed the right to its paths.
  rights: [{ verbs: ["lock"], touches: ofCaller }],
  routes: [post("/v1/locks/withdraw")],
  example: { operation: "acquire-lock", key: "b7f1c2" },
});

const exactly = { fence, reason: line };

const forceRelease = operation({
  name: "force-release",
  kind: "write",
  summary:
    "Frees the grant with this fence; for operators. A recoverable lock is freed only if its recovery conditions hold.",
  input: Type.Object(exactly, closed),
  output: Type.Object({ released: Type.Array(lockPath) }, closed),
  problems: ["locks_off", "not_allowed", "lock_not_held", "not_recoverable"],
  rights: [{ verbs: ["operate"], touches: ofFence }],
  routes: [post("/v1/locks/force-release")],
  example: { fence: "1.17", reason: "its host is gone" },
});

const overrideRelease = operation({
  name: "override-release",
  kind: "write",
  summary:
    "Frees the grant with this fence regardless of its recovery conditions; for operators. It has an audit event of its own.",
  input: Type.Object(exactly, closed),
  output: Type.Object({ released: Type.Array(lockPath) }, closed),
  problems: ["locks_off", "not_allowed", "lock_not_held"],
  rights: [{ verbs: ["operate"], touches: ofFence }],
  routes: [post("/v1/locks/override-release")],
  example: { fence: "1.17", reason: "its host is lost permanently" },
});

const kindSettings = Type.Object(
  {
    shape: Type.String({
      maxLength: 256,
      description: "The names at even places, such as `project/map`. `repo/**` matches everything below `repo`.",
    }),
    policy: Type.Enum(["expire", "recover"]),
    ttl_seconds: Type.Optional(ttlSeconds),
    ttl_min_seconds: Type.Optional(ttlSeconds),
    ttl_max_seconds: Type.Optional(ttlSeconds),
    grace_seconds: Type.Optional(seconds(86_400, "Minimum age of the last heartbeat before a recovery.")),
    order: Type.Optional(Type.Integer({ minimum: 1, maximum: 999, description: "The rank in the global lock order." })),
  },
  closed,
);

const configureLocks = operation({
  name: "configure-locks",
  kind: "write",
  summary:
    "Switches the lock manager on or off, sets the enforced path prefixes and adds kinds of paths; for operators.",
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
  rights: [{ verbs: ["operate"], touches: ofWholeSpace }],
  routes: [post("/v1/locks/configure")],
  example: { enforce: ["repo/x"] },
});

export const lockOperations = {
  "acquire-lock": acquireLock,
  "release-lock": releaseLock,
  "renew-lock": renewLock,
  "upgrade-lock": upgradeLock,
  "downgrade-lock": downgradeLock,
  "transfer-lock": transferLock,
  "request-release": requestRelease,
  "accept-lock": acceptLock,
  "cancel-ticket": cancelTicket,
  "withdraw-request": withdrawRequest,
  "force-release": forceRelease,
  "override-release": overrideRelease,
  "configure-locks": configureLocks,
} as const;
