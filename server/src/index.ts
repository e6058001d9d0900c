export { open } from "./server.ts";
export type { OpenOptions } from "./server.ts";
export { defineKind, refuse } from "./features/entities/kind.ts";
export type { Kind, KindCommand, KindContext, KindDefinition, KindRefusal } from "./features/entities/kind.ts";
export { HoldfastError, createClient, problemOf, problems } from "@holdfast/sdk";
export type {
  AcquireOptions,
  Agent,
  AgentsClient,
  DalLock,
  Denied,
  Grant,
  Granted,
  Held,
  LockMode,
  LockPath,
  LockRow,
  LockScope,
  LocksClient,
  LeftBefore,
  LockStatus,
  PastLockStatus,
  OwnerOptions,
  Queued,
  Registered,
  Registration,
  TicketStatus,
  Wait,
  WhoAmI,
} from "@holdfast/sdk";
export type {
  CallOptions,
  CallReply,
  Client,
  Deleted,
  EntitiesClient,
  Entity,
  EntityPatch,
  HistoryItem,
  Page,
  PatchStep,
  Problem,
  ProblemCode,
  WatchedEvent,
  WatchOptions,
  WriteOptions,
  Written,
} from "@holdfast/sdk";
