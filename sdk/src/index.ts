export { createClient } from "./client/client.ts";
export type { Client, ClientOptions } from "./client/client.ts";
export type { AgentIdentity, CoreClient, RunOperation, WatchOptions } from "./client/core-client.ts";
export { connect } from "./client/connect.ts";
export type { ConnectOptions } from "./client/connect.ts";
export type { ConnectTarget } from "./client/transport/address.ts";
export { systemClientClock } from "./client/client-clock.ts";
export type { ClientClock } from "./client/client-clock.ts";
export type { DeniedLock, Lock, LockedPath, LockState, QueuePlace } from "./client/locks/handle/lock.ts";
export type { LeaseWarning, ReleaseRequest } from "./client/locks/handle/lock.ts";
export { LockLostError, LockUsageError } from "./client/locks/handle/lock-errors.ts";
export type { LossReason } from "./client/locks/handle/lock-errors.ts";
export type { LockOptions, RequestLockOptions, TryLockOptions } from "./client/locks/waiting/lock-options.ts";
export type { LockMode, LockPath, LockPaths, LockScope } from "./client/locks/lock-path.ts";
export type { RequestLock } from "./client/locks/waiting/request.ts";
export type { AgentIntroduction } from "./client/locks/session/session-agent.ts";
export { DeadlockError } from "./client/locks/waiting/deadlock-error.ts";
export type { DeadlockRetryOptions, DeadlockAttempt } from "./client/locks/waiting/retry-on-deadlock.ts";
export type { RetryOptions } from "./client/retry.ts";
export type { UpdateOptions } from "./client/update-entity.ts";
export type {
  CreateOptions,
  EntitiesClient,
  EntityPatch,
  Page,
  PastQuery,
  PatchStep,
  WriteOptions,
} from "./client/entities-client.ts";
export type { TypedEntities } from "./client/entities-client.ts";
export type { CamelWords, OperationMethods, OperationsClient, SendOperation } from "./client/operations-client.ts";
export type { ClientForm } from "./client/data/client-form.ts";
export type { AgentsClient, Registration } from "./client/agents-client.ts";
export type { AuditClient, JournalClient } from "./client/audit-client.ts";
export { HoldfastError } from "./client/holdfast-error.ts";
export type { RefusalDetails } from "./client/holdfast-error.ts";
export { isConflict, isDenied } from "./client/data/problem-guards.ts";
export type { ProblemGuard, TypedRefusal } from "./client/problem-guard.ts";
export type { Held, LocksClient, OwnerOptions } from "./client/locks-client.ts";
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
} from "./client/transport/transport.ts";
export type { NewToken, TokensClient } from "./client/tokens-client.ts";

export type {
  Agent,
  AuditItem,
  AuditQuery,
  CreatedToken,
  DalLock,
  Deleted,
  Entity,
  Grant,
  Granted,
  HistoryItem,
  InputOfOperation,
  JournalItem,
  JournalQuery,
  LeftBefore,
  LockHolder,
  LockRow,
  LockStatus,
  OperationInput,
  OperationOutput,
  OutputOfOperation,
  OwnerNotice,
  PastLockStatus,
  Queued,
  Registered,
  RotatedToken,
  TicketStatus,
  Token,
  Wait,
  WhoAmI,
  WireInput,
  WireOutput,
  Written,
} from "./client/operation-output.ts";
export type { Allowance, Verb } from "./contract/allowance.ts";
export type { OperationName } from "./contract/all-operations.ts";
export type { ProblemCode } from "./contract/core-problems.ts";
export type { Problem } from "./contract/problem.ts";

export type {
  Assignment,
  Collaborator,
  Mission,
  MissionsClient,
  Organization,
  PlanningClient,
  Project,
} from "./client/packs/planning-client.ts";
export type { Bridge, BridgeResult, BridgeStep } from "./client/intents/bridge.ts";
export type { BridgeSet, BridgeSetOptions, ExecuteOptions } from "./client/intents/bridge-set.ts";
export type { IntentsClient, IntentWriteOptions, LockedIntent } from "./client/intents/intents-client.ts";
export type { ChangedIntent, Intent, IntentOperations } from "./client/packs/intent-operations.ts";
export type { ChangeProgram, EditAttempt, EditedFunction, ProgramChange } from "./client/programs/edit-program.ts";
export type { ProgramEdit } from "./client/programs/program-edit.ts";
export type { ProgramsClient } from "./client/programs/programs-client.ts";
export type {
  ProgramConflict,
  ProgramDiagnostic,
  ProgramFunction,
  ProgramMutation,
  ProgramOperations,
  ProgramEditStep,
} from "./client/packs/program-operations.ts";
export type { HoldOptions, WaitOptions } from "./client/intents/hold-intents.ts";
export type { Correction, Reevaluated, ReevaluateOptions } from "./client/intents/reevaluate.ts";
export type { RecoverOptions } from "./client/intents/recover-runs.ts";
export type { JobsClient, SchedulesClient } from "./client/jobs/jobs-client.ts";
export type { JobWorker, WorkOptions } from "./client/jobs/job-worker.ts";
export type { FatalJobError, JobHandler, JobReturn, RunningJob } from "./client/jobs/running-job.ts";
export type { Job, JobOperations, StartedJob } from "./client/packs/job-operations.ts";
export type {
  FileReadOptions,
  FilesClient,
  PublishFolderOptions,
  PublishOptions,
} from "./client/files/files-client.ts";
export type { FileContent, Publish } from "./client/files/publish.ts";
export type { FileOperations, FileVersion } from "./client/packs/file-operations.ts";
export type { WorkspaceClient } from "./client/workspace/workspace-client.ts";
export type { OpenedMap } from "./client/workspace/open-map.ts";
export type { WorkspaceOperations } from "./client/packs/workspace-operations.ts";
export type { OperationTypes, PlanningOperations } from "./client/packs/planning-operations.ts";
export type { Changed, ChangeOptions, DeletedResource, ResourceClient } from "./client/packs/resource-client.ts";
