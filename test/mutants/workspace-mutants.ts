import type { PlantedMutant } from "./planted-mutant.ts";

const access = "server/src/packs/workspace/access.ts";
const rules = "test/workspace/rules.test.ts";
const objects = "test/workspace/objects.test.ts";
const approvals = "test/workspace/approvals.test.ts";
const work = "test/workspace/work.test.ts";
const purge = "test/workspace/purge.test.ts";

export const workspaceMutants: readonly PlantedMutant[] = [
  {
    name: "a lock that a request takes is not freed [W12]",
    file: access,
    find: 'if (decision.outcome.kind === "done") freeSet(context, granted.fence as string);',
    put: "",
    by: purge,
    caughtIn: "npm test",
  },
  {
    name: "a read with a taken lock ignores other holders [W12]",
    file: access,
    find: 'if (denial !== undefined) return refusal("lock_denied", denial);',
    put: "",
    by: rules,
    caughtIn: "npm test",
  },
  {
    name: "a refused write of an agent is not audited [W13]",
    file: access,
    find: "isAudited: command.agent !== undefined",
    put: "isAudited: false",
    by: rules,
    caughtIn: "npm test",
  },
  {
    name: "one lock is enough where two are needed [W12]",
    file: "server/src/packs/workspace/reassign-objects.ts",
    find: "const locks = [from, to].flatMap(",
    put: "const locks = [from].flatMap(",
    by: rules,
    caughtIn: "npm test",
  },
  {
    name: "an object that a command names twice counts twice [W12]",
    file: "server/src/packs/workspace/change-objects.ts",
    find: "new Set(changes.map(({ sketch, object }) => `${sketch}/${object}`))",
    put: "changes.map(({ sketch, object }) => `${sketch}/${object}`)",
    by: objects,
    caughtIn: "npm test",
  },
  {
    name: "the level of several sketches is guessed [W4]",
    file: "server/src/packs/workspace/change-objects.ts",
    find: "if (counts.size > 1 && level === undefined) return undefined;",
    put: "",
    by: objects,
    caughtIn: "npm test",
  },
  {
    name: "the requester of an approval decides it",
    file: "server/src/packs/workspace/approvals.ts",
    find: "value.requester === command.principal",
    put: "value.requester === command.principal && command.agent !== undefined",
    by: approvals,
    caughtIn: "npm test",
  },
  {
    name: "an approval is valid for other parameters",
    file: "server/src/packs/workspace/approvals.ts",
    find: 'value.parameters === canonicalText(parameters) ? undefined : "it is for other parameters",',
    put: "",
    by: approvals,
    caughtIn: "npm test",
  },
  {
    name: "an approval is not used up",
    file: "server/src/packs/workspace/submit-workspace-job.ts",
    find: "if (approved !== undefined) useApproval(context, approved);",
    put: "",
    by: approvals,
    caughtIn: "npm test",
  },
  {
    name: "every job with a lock in a project acts there [W13]",
    file: "server/src/packs/workspace/roles.ts",
    find: "return row?.project === project ? row : undefined;",
    put: 'return row ?? { job: grant.job, type: "", project };',
    by: work,
    caughtIn: "npm test",
  },
  {
    name: "a project is read while it is being restored",
    file: access,
    find: "if (restoring === undefined || restoring === job?.job || access.isRestorable === true) return undefined;",
    put: 'if (restoring === undefined || job !== undefined || rule.role === "viewer") return undefined;',
    by: work,
    caughtIn: "npm test",
  },
  {
    name: "a record is created below a deleted one",
    file: "server/src/packs/workspace/workspace-kinds.ts",
    find: "if (!isRecordId(id) || get(parent.type, parentId) === undefined)",
    put: "if (!isRecordId(id))",
    by: purge,
    caughtIn: "npm test",
  },
  {
    name: "a deleted child stays counted",
    file: "server/src/packs/workspace/workspace-folds.ts",
    find: '"entity.deleted": count(-1),',
    put: '"entity.deleted": ignore,',
    by: purge,
    caughtIn: "npm test",
  },
];
