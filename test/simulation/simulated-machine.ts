import { allOperations, files, filesInternals, internalOperation, lockOperations } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import Type from "typebox";
import type { AppOperation, EvidenceSource } from "../../server/src/app/calls/app-operation.ts";
import { appOperations } from "../../server/src/app/calls/app-operations.ts";
import { ifUnchanged } from "../../server/src/app/calls/hooks/if-unchanged.ts";
import { kindEvidence } from "../../server/src/app/calls/kind-evidence.ts";
import { agentsFeature } from "../../server/src/features/agents/agents.ts";
import { entitiesFeature } from "../../server/src/features/entities/entities.ts";
import { refuse } from "../../server/src/features/entities/kind-refusal.ts";
import { defineKind } from "../../server/src/features/entities/kind.ts";
import { locksFeature } from "../../server/src/features/locks/locks.ts";
import { machineSettings, spaceFeature } from "../../server/src/features/space/space.ts";
import type { Feature } from "../../server/src/machine/feature.ts";
import { Machine } from "../../server/src/machine/machine.ts";
import { intentsRules } from "../../server/src/packs/intents/intents.ts";
import { jobsRules } from "../../server/src/packs/jobs/jobs.ts";
import { operationRecord } from "../../server/src/operations/operation-record.ts";
import { publishTable } from "../../server/src/packs/files/file-tables.ts";
import { filesRules } from "../../server/src/packs/files/files.ts";
import { targetRules } from "../../server/src/packs/files/target-rule.ts";
import { workspacePackRules } from "../../server/src/packs/workspace/workspace.ts";
import { programsRules } from "../../server/src/packs/programs/programs.ts";
import { errandFeature } from "../locks/errand-feature.ts";
import { leaseFeature, simulatedRules } from "./lease-feature.ts";

/** A type of entity with its own schema, rule and command. */
export const ticketKind = defineKind({
  type: "ticket",
  value: Type.Object({ title: Type.String(), state: Type.Enum(["open", "closed"]), count: Type.Integer() }),
  rule: (next, previous) =>
    next === undefined && previous?.state === "open" ? refuse("still_open", { count: previous.count }) : undefined,
  check: { name: "tickets/1", module: new URL("simulated:tickets") },
  commands: {
    close: {
      summary: "Closes a ticket.",
      input: { note: Type.Optional(Type.String()) },
      event: "closed",
      decide: (current) =>
        current.state === "closed"
          ? refuse("already_closed")
          : { ...current, state: "closed" as const, count: current.count + 1 },
    },
  },
});

const ticketEvidence = kindEvidence([ticketKind]);

const contractNames = [
  ...["create-entity", "replace-entity", "patch-entity", "delete-entity"],
  ...["configure", "raise-rules", "register-agent", "renew-agents", "end-agent", ...Object.keys(lockOperations)],
] as readonly (keyof typeof allOperations)[];

/** A command of the simulation, without the hooks of secrets and heartbeats. */
function command(operation: Operation, entityType?: string): AppOperation {
  const record = operationRecord({ ...operation, kind: "write", sets: [] }, entityType);
  const { entityTypeOf } = record;
  const evidence = entityTypeOf && ((input: { type?: unknown }) => ticketEvidence.get(entityTypeOf(input)));
  return { ...record, prepare: [ifUnchanged], evidence };
}

/** The operations of features that only tests have. */
const testNames = [
  ...["acquire-lease", "renew-lease"],
  ...["start-errand", "finish-errand", "lose-errand", "retry-errand"],
];

function testOperation(name: string): Operation {
  const [input, output] = [Type.Unknown(), Type.Unknown()];
  return internalOperation({ name, summary: "", input, output, problems: [] });
}

const filesWith = filesRules(targetRules(workspacePackRules.targets ?? []));

/** Steps 2 to 7 of a publish. The disk keeps the bytes, except in some publishes. */
const simulatedSteps: EvidenceSource = {
  asksDecision: true,
  async gather({ id }, { services: { engine } }) {
    const row = await engine.read((state) => state.rows(publishTable).get(id as string));
    if (row === undefined) return undefined;
    const { session, bytesMax, root } = row;
    const of = { id: row.id, session };
    if (row.order % 13 === 0) return { ...of, fault: { code: "files.storage_full", data: { root }, degrades: false } };
    if (row.order % 17 === 0) return { ...of, fault: { code: "files.root_degraded", data: { root }, degrades: true } };
    return { ...of, sealed: { files: 1, bytes: Math.ceil(bytesMax / 3), digest: "0".repeat(64) } };
  },
};

/** The operations of files without the real disk, and the commands of nodes. */
const fileOperations = [...files.operations, ...Object.values<Operation>(filesInternals)]
  .filter(({ kind, name }) => kind !== "read" && name !== "files.upload")
  .map((operation) => {
    const evidence = operation.name === "files.commit" ? () => simulatedSteps : undefined;
    return { ...command(operation), evidence };
  });

const complete = appOperations([]).all;
const reads = complete.filter(({ kind }) => kind === "read");
const packWrites = complete.filter(
  ({ kind, name }) => kind === "write" && /^(programs|intents|jobs|workspace)[.]/.test(name),
);

/** The operations that simulated callers may send. */
export const simulatedOperations: ReadonlyMap<string, AppOperation> = new Map(
  [
    ...contractNames.map((name) => command(allOperations[name])),
    ...testNames.map((name) => command(testOperation(name))),
    ...ticketKind.commands.map(({ operation }) => command(operation, ticketKind.type)),
    ...packWrites,
    ...fileOperations,
    ...reads,
  ].map((record) => [record.name, record]),
);

/** The idempotency window of the simulation, short enough that keys expire in some seeds. */
export const idempotencyWindowMs = 60_000;

/**
 * Number of entries between state hashes. Every seed hashes its state several times, so the engine itself compares
 * replicas.
 */
const stateHashEvery = 20;

export const simulatedFeatures: readonly Feature[] = [
  spaceFeature,
  agentsFeature,
  locksFeature,
  entitiesFeature([ticketKind, ...programsRules.kinds, ...intentsRules.kinds, ...workspacePackRules.kinds]),
  intentsRules.feature,
  jobsRules.feature,
  filesWith.feature,
  workspacePackRules.feature,
  leaseFeature,
  errandFeature,
  programsRules.feature,
];

/** The whole state as text. Two texts are equal exactly if the states are equal. */
export function stateText(machine: Machine): string {
  return Array.from(machine.dump(), (row) => JSON.stringify(row)).join("\n");
}

export function simulatedMachine(features: readonly Feature[] = simulatedFeatures): Machine {
  return new Machine({
    features,
    knownRules: simulatedRules,
    settings: (state) => ({ ...machineSettings(state), idempotencyWindowMs, stateHashEvery }),
  });
}
