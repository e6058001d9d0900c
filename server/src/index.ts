export { open } from "./assembly/open.ts";
export type { ComponentToggles, HoldfastOptions } from "./assembly/holdfast-options.ts";
export type { JournalLocation } from "./assembly/open.ts";
export { createRuntime } from "./assembly/runtime.ts";
export type { Runtime, RuntimeOptions } from "./assembly/runtime.ts";
export type { KindChange, KindVerdict } from "./checks/kind-change.ts";
export type { KindCheck } from "./features/entities/kind-check.ts";
export { defineKind } from "./features/entities/kind.ts";
export type { Kind, KindCommand, KindDefinition } from "./features/entities/kind.ts";
export type { KindContext } from "./features/entities/kind-context.ts";
export { refuse } from "./features/entities/kind-refusal.ts";
export type { KindRefusal } from "./features/entities/kind-refusal.ts";
export { DeadlockError, HoldfastError, LockLostError, LockUsageError, connect, createClient } from "@holdfast/sdk";
export type {
  ClientClock,
  ClientOptions,
  DeadlockRetryOptions,
  DeniedLock,
  LockHolder,
  AgentIntroduction,
  LeaseWarning,
  Lock,
  LockedPath,
  LockOptions,
  LockState,
  LossReason,
  Notice,
  QueuePlace,
  ReleaseRequest,
  RequestLock,
  RetryOptions,
  DeadlockAttempt,
  UpdateOptions,
} from "@holdfast/sdk";
export type {
  AcquireOptions,
  Agent,
  AgentsClient,
  AuditClient,
  AuditItem,
  AuditQuery,
  Allowance,
  CreatedToken,
  DalLock,
  Denied,
  Grant,
  Granted,
  Held,
  JournalClient,
  JournalItem,
  JournalQuery,
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
  NewToken,
  Registration,
  Token,
  TokensClient,
  TicketStatus,
  Verb,
  Wait,
  WhoAmI,
} from "@holdfast/sdk";
export type {
  CallOptions,
  CallReply,
  Client,
  ConnectOptions,
  Deleted,
  EntitiesClient,
  Entity,
  EntityPatch,
  HistoryItem,
  Page,
  PatchStep,
  Problem,
  ProblemCode,
  Reads,
  RetryCause,
  ConnectTarget,
  Transport,
  WatchedEvent,
  WatchOptions,
  WriteOptions,
  Written,
} from "@holdfast/sdk";
