/**
 * Holdfast on NATS: the subjects, the headers, and the lock actions that have their own shape there. Everything else is
 * an operation of the contract under its own name.
 */
import Type from "typebox";
import type { TObject } from "typebox";
import { isoTime, ownerId } from "./agents.ts";
import type { OperationName } from "./all-operations.ts";
import { lockPath, ttlSeconds } from "./lock-path.ts";

/**
 * The first word of a subject: `cmd.lock.acquire`, `req.lock.acquire`, `evt.lock.acquired`, `parked.cmd.lock.acquire`.
 */
export const meshSubjects = { command: "cmd", request: "req", event: "evt", parked: "parked" } as const;

/** Takes the position of the entity type when the name of an operation follows: `cmd.operation.acquire-lock`. */
export const operationWord = "operation";

/** Takes the position of the entity type when a lock action follows. */
export const lockWord = "lock";

export const meshHeaders = {
  /** Headers of a command. */
  authorization: "Authorization",
  token: "Holdfast-Token",
  agent: "X-Agent-Id",
  agentSecret: "X-Agent-Secret",
  key: "Idempotency-Key",
  replyTo: "Holdfast-Reply-To",
  trace: "traceparent",
  /** Headers of a reply. */
  problem: "Holdfast-Problem",
  fence: "Holdfast-Fence",
  /** Headers of a reply and of an event. */
  event: "Holdfast-Event",
  position: "Holdfast-Position",
  replayed: "Holdfast-Replayed",
  tooLarge: "Holdfast-Too-Large",
  /** Headers of an event. */
  epoch: "Holdfast-Epoch",
  index: "Holdfast-Index",
  subject: "Holdfast-Subject",
  time: "Holdfast-Time",
  published: "Holdfast-Published",
  /** Headers of a parked command. */
  parkedFor: "Holdfast-Parked-For",
  parkedFrom: "Holdfast-Parked-From",
} as const;

const closed = { additionalProperties: false } as const;
const key = Type.Optional(Type.String({ description: "The same as the header Idempotency-Key." }));
const named = { resource_id: lockPath, owner_id: ownerId };

/** A lock action: its input and the operation that it runs. */
export interface LockWord {
  readonly operation: OperationName;
  readonly input: TObject;
  /** The event of a successful reply. */
  readonly answer: keyof typeof meshLockEvents;
}

/** Lock actions have their own shape: one resource, a named owner and a mandatory lease. */
export const meshLockWords: Readonly<Record<string, LockWord>> = {
  acquire: {
    operation: "acquire-lock",
    input: Type.Object({ ...named, ttl_seconds: ttlSeconds, idempotency_key: key }, closed),
    answer: "acquired",
  },
  release: {
    operation: "release-lock",
    input: Type.Object({ ...named, idempotency_key: key }, closed),
    answer: "released",
  },
  refresh: {
    operation: "renew-lock",
    input: Type.Object({ ...named, ttl_seconds: Type.Optional(ttlSeconds), idempotency_key: key }, closed),
    answer: "refreshed",
  },
};

/** The lock events on NATS: exactly these members. */
export const meshLockEvents = {
  acquired: Type.Object({ ...named, expires_at: isoTime }, closed),
  denied: Type.Object(
    {
      resource_id: lockPath,
      requested_by: ownerId,
      current_owner: Type.Union([ownerId, Type.Null()]),
      reason: Type.String(),
    },
    closed,
  ),
  released: Type.Object(named, closed),
  refreshed: Type.Object({ ...named, expires_at: isoTime }, closed),
  expired: Type.Object({ resource_id: lockPath }, closed),
} as const;

/** Actions on the entities of a type, in addition to the commands of its kind or pack. */
export const meshEntityWords: Readonly<Record<string, OperationName>> = {
  create: "create-entity",
  replace: "replace-entity",
  put: "replace-entity",
  patch: "patch-entity",
  delete: "delete-entity",
  get: "get-entity",
  list: "list-entities",
  history: "list-history",
};
