import { allOperations, membersOf } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import type { Kind } from "../../features/entities/kind.ts";
import { operationRecord } from "../../operations/operation-record.ts";
import type { OperationRecord } from "../../operations/operation-record.ts";
import { registryOf } from "../../operations/registry.ts";
import type { OperationRegistry } from "../../operations/registry.ts";
import { allPacks } from "../packs/all-packs.ts";
import { packHooks } from "../packs/pack-hooks.ts";
import { readRuns } from "../reads/read-runs.ts";
import type { AppOperation, OperationHooks } from "./app-operation.ts";
import { featureHooks } from "./feature-hooks.ts";
import { ifUnchanged } from "./hooks/if-unchanged.ts";
import { kindEvidence } from "./kind-evidence.ts";

/** Every operation of features, packs and kinds with its hooks. A read that nothing answers stops the start. */
export function appOperations(kinds: readonly Kind[]): OperationRegistry<AppOperation> {
  const records = [
    ...Object.values<Operation>(allOperations).map((operation) => operationRecord(operation)),
    ...allPacks.flatMap(({ contract }) => contract.operations.map((operation) => operationRecord(operation))),
    ...kinds.flatMap(({ type, commands }) => commands.map(({ operation }) => operationRecord(operation, type))),
  ];
  const hooks = new Map<string, OperationHooks>([
    ...readRuns([...allPacks.flatMap((pack) => pack.kinds), ...kinds]).map(([name, run]) => [name, { run }] as const),
    ...Object.entries(featureHooks),
    ...allPacks.flatMap((pack) => [...packHooks(pack)]),
  ]);
  const byType = kindEvidence(kinds);
  return registryOf(
    records.map((record) => appOperationOf(record, { ...ofKinds(record, byType), ...hooks.get(record.name) })),
  );
}

export function appOperationOf(record: OperationRecord, hooks: OperationHooks): AppOperation {
  const needsRun = record.kind === "read" || record.body !== undefined || record.answer !== undefined;
  if (needsRun && hooks.run === undefined) throw new Error(`nothing answers the ${record.kind} ${record.name}`);
  const prepare = "if_unchanged" in membersOf(record.input) ? [ifUnchanged] : [];
  return { ...record, ...hooks, prepare: [...prepare, ...(hooks.prepare ?? [])] };
}

/** A write that no rule decides would be refused at its first call. It stops the start instead. */
export function requireRules(operations: OperationRegistry<AppOperation>, ruled: ReadonlySet<string>): void {
  const undecided = operations.all.find(
    ({ name, kind, run }) => kind === "write" && run === undefined && !ruled.has(name),
  );
  if (undecided !== undefined) throw new Error(`no rule decides the write ${undecided.name}`);
}

/** The evidence of the kind whose entity an operation writes. */
function ofKinds(record: OperationRecord, byType: ReturnType<typeof kindEvidence>): OperationHooks {
  const { kind, entityTypeOf } = record;
  if (kind !== "write" || entityTypeOf === undefined || byType.size === 0) return {};
  return { evidence: (input) => byType.get(entityTypeOf(input)) };
}
