export { agentOperations } from "./agents.ts";
export { allVerbs } from "./allowance.ts";
export type { Allowance, Verb } from "./allowance.ts";
export { allOperations, publicOperations } from "./all-operations.ts";
export type { OperationName } from "./all-operations.ts";
export { auditOperations } from "./audit.ts";
export { checkOf } from "./check.ts";
export type { InputCheck, Issue } from "./check.ts";
export { callReply, commandRequest, commandsMax } from "./command-request.ts";
export type { CommandRequest } from "./command-request.ts";
export { entityOperations } from "./entities.ts";
export { cycleText } from "./cycle-text.ts";
export type { CycleLink } from "./cycle-text.ts";
export { conflictReason, events, publishedName } from "./events.ts";
export type { EventData, EventTypeName } from "./events.ts";
export type { EventType } from "./event-type.ts";
export { eventTypes, isOfEntity, isOfLock, isOfPack, pathsOfEvent } from "./event-types.ts";
export { conditions, entityId, entityType } from "./conditions.ts";
export { lockInternals } from "./lock-internals.ts";
export { lockViews, unknownFence } from "./lock-views.ts";
export { lockOperations } from "./locks.ts";
export type { NoticeType } from "./notice-type.ts";
export { notice, noticeKey, noticeTypes } from "./notice-types.ts";
export { expiringAtMs, noticeQuery, placeEveryMs } from "./notices.ts";
export type { ExpiringNotice, Notice, NoticeQuery, PlaceNotice } from "./notices.ts";
export {
  lockWord,
  meshEntityWords,
  meshHeaders,
  meshLockEvents,
  meshLockWords,
  meshSubjects,
  operationWord,
} from "./mesh.ts";
export type { LockWord } from "./mesh.ts";
export { internalOperation, operation } from "./operation.ts";
export type { InputOf, Operation, OutputOf } from "./operation.ts";
export { intentStatuses, intentTransitions, knownWord } from "./packs/intents/intent-statuses.ts";
export type { IntentStatus } from "./packs/intents/intent-statuses.ts";
export { defaultStrategies, fixedStrategies, lockStrategies, strategyFor } from "./packs/intents/lock-strategies.ts";
export type { LockStrategy, StrategyCase, StrategyName } from "./packs/intents/lock-strategies.ts";
export { runModes, runStates } from "./packs/intents/intent-runs.ts";
export type { RunMode } from "./packs/intents/intent-runs.ts";
export { endedRun, intentRun } from "./packs/intents/intent-runs.ts";
export type { EndedRun, IntentRun } from "./packs/intents/intent-runs.ts";
export { defaultNumbers } from "./packs/intents/intent-settings.ts";
export type { IntentNumbers } from "./packs/intents/intent-settings.ts";
export { intent } from "./packs/intents/intent.ts";
export { intents } from "./packs/intents/intents.ts";
export { codeOfPack, plainCode } from "./packs/code-of-pack.ts";
export { packs } from "./packs/packs.ts";
export { partBytesMax } from "./packs/files/files-operations.ts";
export { filesInternals } from "./packs/files/files-internals.ts";
export { fileTarget, publishId, sha256, storageRoot } from "./packs/files/file-version.ts";
export { guardOf, isOfProject } from "./packs/files/guard-of.ts";
export { files } from "./packs/files/files.ts";
export { jobEnds, jobStates } from "./packs/jobs/job-view.ts";
export type { JobEnd, JobState } from "./packs/jobs/job-view.ts";
export { jobsInternals } from "./packs/jobs/jobs-internals.ts";
export { jobs } from "./packs/jobs/jobs.ts";
export { workspaceInternals } from "./packs/workspace/workspace-internals.ts";
export { workspaceJobTypes } from "./packs/workspace/workspace-jobs.ts";
export { workspacePath } from "./packs/workspace/workspace-path.ts";
export type { WorkspacePlace } from "./packs/workspace/workspace-path.ts";
export {
  approvalStates,
  approvedActions,
  calibration,
  coordinatesMax,
  objectFields,
  workspaceApproval,
  workspaceMap,
  workspaceObject,
  workspaceProject,
  workspaceSketch,
  workspaceTemplate,
} from "./packs/workspace/workspace-resources.ts";
export {
  objectThresholds,
  workspaceRoles,
  workspaceRules,
  workspaceWorkRules,
} from "./packs/workspace/workspace-rules.ts";
export type { RuledLock, WorkspaceLevel, WorkspaceRole, WorkspaceRule } from "./packs/workspace/workspace-rules.ts";
export { recordsPerCommand } from "./packs/workspace/workspace-work.ts";
export { workspace } from "./packs/workspace/workspace.ts";
export { program } from "./packs/programs/program.ts";
export { isStructureStep, touchedItem } from "./packs/programs/program-steps.ts";
export type { MutationStep } from "./packs/programs/program-steps.ts";
export { intentInternals } from "./packs/intents/intent-internals.ts";
export { programInternals } from "./packs/programs/program-internals.ts";
export { programs } from "./packs/programs/programs.ts";
export type { Pack } from "./packs/pack.ts";
export { assignment, collaborator, mission, organization, planning, project, reopenMission } from "./packs/planning.ts";
export { isArchivable, representation, verbsOf } from "./packs/resource-operations.ts";
export { ownOperationsOf } from "./packs/own-operations.ts";
export { resourceOperationName } from "./packs/resource-operation-name.ts";
export type {
  NewResource,
  Resource,
  ResourceChanges,
  ResourceFilters,
  ResourceVerb,
  ShownResource,
} from "./packs/resource.ts";
export { problemFor, problemOf, problems } from "./problems.ts";
export type { ProblemCode } from "./core-problems.ts";
export type { Problem, RevealedEntity } from "./problem.ts";
export { protocolMismatch } from "./protocol-mismatch.ts";
export { membersOf, namesInPath, readsContentDigest, routedOperations, routesOf } from "./routed-operations.ts";
export type { RoutedOperation, MemberSource } from "./routed-operations.ts";
export { readsIfMatch } from "./routes.ts";
export type { Route } from "./routes.ts";
export {
  closeCodes,
  eventsAhead,
  frameBytesMax,
  socketAgentsMax,
  socketPath,
  socketProtocol,
} from "./socket-protocol.ts";
export type { CallMessage, ClientMessage, ServerMessage, SocketProblem } from "./socket-protocol.ts";
export { traceContext, traceIdOf } from "./trace-context.ts";
export { isAllowed } from "./rights.ts";
export { ofEntityOfType, pathOfEntity, pathOfType } from "./path-of-entity.ts";
export { pathOf } from "./lock-events.ts";
export type { NamedPath } from "./lock-events.ts";
export type { Right, Touch, TouchedRef } from "./rights.ts";
export { spaceOperations } from "./space.ts";
export type { SpaceSettings } from "./space.ts";
export { tokenOperations } from "./tokens.ts";
export { watchQuery } from "./watch-query.ts";
export type { WatchQuery } from "./watch-query.ts";
export { recordedAs, recordedType } from "./recorded-type.ts";
export { isWanted, ownersOf } from "./watch-filter.ts";
export type { WatchFilter } from "./watch-filter.ts";
export { functionId, programId, programLockRoutes } from "./program-locks.ts";
export type { ProgramAcquire, ProgramBatch, ProgramRelease, ProgramRenew } from "./program-locks.ts";
export { requestOfWithdrawal, withdrawableOperations, withdrawal, withdrawalKey } from "./withdrawals.ts";
export type { KeyedRequest } from "./withdrawals.ts";
