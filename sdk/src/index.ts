export { createClient } from "./client/client.ts";
export type { Client, ClientOptions, WatchOptions } from "./client/client.ts";
export { connect } from "./client/connect.ts";
export type { ConnectOptions } from "./client/connect.ts";
export type { ConnectTarget } from "./client/address.ts";
export { systemClientClock } from "./client/client-clock.ts";
export type { ClientClock } from "./client/client-clock.ts";
export type { DeniedLock, LockHolder, Lock, LockedPath, LockState, QueuePlace } from "./client/locks/handle/lock.ts";
export type { LeaseWarning, ReleaseRequest } from "./client/locks/handle/lock.ts";
export { LockLostError, LockUsageError } from "./client/locks/handle/lock-errors.ts";
export type { LossReason } from "./client/locks/handle/lock-errors.ts";
export type { LockOptions } from "./client/locks/waiting/lock-options.ts";
export type { LockMode, LockPath, LockPaths, LockScope } from "./client/locks/lock-path.ts";
export type { RequestLock } from "./client/locks/waiting/request.ts";
export type { AgentIntroduction } from "./client/locks/session/session-agent.ts";
export { DeadlockError } from "./client/locks/waiting/retry-on-deadlock.ts";
export type { DeadlockRetryOptions, DeadlockAttempt } from "./client/locks/waiting/retry-on-deadlock.ts";
export type { RetryOptions } from "./client/retry.ts";
export type { UpdateOptions } from "./client/update-entity.ts";
export type { Deleted, EntitiesClient, EntityPatch, Page, PatchStep, WriteOptions } from "./client/entities-client.ts";
export type { AgentsClient, Registration } from "./client/agents-client.ts";
export type { AuditClient, JournalClient } from "./client/audit-client.ts";
export { HoldfastError } from "./client/holdfast-error.ts";
export type { AcquireOptions, Denied, Held, LocksClient, OwnerOptions } from "./client/locks-client.ts";
export type {
  ByteRange,
  CallOptions,
  CallReply,
  Reads,
  ReplyStream,
  RetryCause,
  Transport,
  WatchedEvent,
  WatchRequest,
} from "./client/transport.ts";
export type { NewToken, TokensClient } from "./client/tokens-client.ts";

export type { AuditItem, AuditQuery, JournalItem, JournalQuery } from "./contract/audit.ts";
export type { Entity, HistoryItem, Written } from "./contract/entities.ts";
export type { Agent, Registered } from "./contract/agents.ts";
export type {
  DalLock,
  LockRow,
  LockStatus,
  PastLockStatus,
  TicketStatus,
  Wait,
  WhoAmI,
} from "./contract/lock-views.ts";
export type { Grant, Granted, LeftBefore, Queued } from "./contract/locks.ts";
export type { ExpiringNotice, Notice, PlaceNotice } from "./contract/notices.ts";
export type { Allowance, Verb } from "./contract/allowance.ts";
export type { CreatedToken, Token } from "./contract/tokens.ts";
export type { ProblemCode } from "./contract/core-problems.ts";
export type { Problem } from "./contract/problem.ts";
