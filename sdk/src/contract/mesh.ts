/**
 * Holdfast on a mesh of messages: which subjects there are, what travels in headers, and the few words of locks that have
 * a shape of their own there. Everything else is an operation of the contract, under its own name.
 */
import Type from "typebox";
import type { TObject } from "typebox";
import { isoTime, ownerId } from "./agents.ts";
import type { OperationName } from "./all-operations.ts";
import { lockPath, ttlSeconds } from "./lock-parts.ts";

/** What subjects start with: `cmd.lock.acquire`, `req.lock.acquire`, `evt.lock.acquired`, `parked.cmd.lock.acquire`. */
export const meshSubjects = { command: "cmd", request: "req", event: "evt", parked: "parked" } as const;

/** In the place of an entity's type it says that the name of an operation follows: `cmd.operation.acquire-lock`. */
export const operationWord = "operation";

/** In the place of an entity's type it says that the words of locks follow. */
export const lockWord = "lock";

export const meshHeaders = {
  /** With a command. */
  authorization: "Authorization",
  token: "Holdfast-Token",
  agent: "X-Agent-Id",
  agentSecret: "X-Agent-Secret",
  key: "Idempotency-Key",
  replyTo: "Holdfast-Reply-To",
  trace: "traceparent",
  /** With an answer. */
  problem: "Holdfast-Problem",
  fence: "Holdfast-Fence",
  /** With an answer, and with an event. */
  event: "Holdfast-Event",
  position: "Holdfast-Position",
  replayed: "Holdfast-Replayed",
  tooLarge: "Holdfast-Too-Large",
  /** With an event. */
  epoch: "Holdfast-Epoch",
  index: "Holdfast-Index",
  subject: "Holdfast-Subject",
  time: "Holdfast-Time",
  published: "Holdfast-Published",
  /** With a command that was parked. */
  parkedFor: "Holdfast-Parked-For",
  parkedFrom: "Holdfast-Parked-From",
} as const;

const closed = { additionalProperties: false } as const;
const key = Type.Optional(Type.String({ description: "The same as the header Idempotency-Key." }));
const named = { resource_id: lockPath, owner_id: ownerId };

/** A word of locks: what it takes, and the operation that it is. */
export interface LockWord {
  readonly operation: OperationName;
  readonly input: TObject;
  /** The event that it is answered with when it is done. */
  readonly answer: keyof typeof meshLockEvents;
}

/** The words of locks have their own shape: one resource, a named owner, a lease that must be said. */
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

/** The events of locks as the mesh tells them: these fields, and no others. */
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

/** What can be asked about the entities of a type, besides the commands that its kind or its pack brings. */
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
