import { allOperations, membersOf } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import type { Kind } from "../../features/entities/kind.ts";
import { operationRecord } from "../../operations/operation-record.ts";
import type { OperationRecord } from "../../operations/operation-record.ts";
import { registryOf } from "../../operations/registry.ts";
import type { OperationRegistry } from "../../operations/registry.ts";
import { allPacks } from "../packs/all-packs.ts";
import { readRuns } from "../reads/read-runs.ts";
import type { AppOperation } from "./app-operation.ts";
import { featureHooks } from "./feature-hooks.ts";
import { ifUnchanged } from "./hooks/if-unchanged.ts";

/** Every operation of features, packs and kinds with its hooks. A read that nothing answers stops the start. */
export function appOperations(kinds: readonly Kind[]): OperationRegistry<AppOperation> {
  const records = [
    ...Object.values<Operation>(allOperations).map((operation) => operationRecord(operation)),
    ...allPacks.flatMap(({ contract }) => contract.operations.map((operation) => operationRecord(operation))),
    ...kinds.flatMap(({ type, commands }) => commands.map(({ operation }) => operationRecord(operation, type))),
  ];
  return registryOf(records.map(withHooks));
}

function withHooks(record: OperationRecord): AppOperation {
  const hooks = featureHooks[record.name] ?? {};
  const run = hooks.run ?? readRuns.get(record.name);
  if (record.kind === "read" && run === undefined) throw new Error(`nothing answers the read ${record.name}`);
  const prepare = "if_unchanged" in membersOf(record.input) ? [ifUnchanged] : [];
  return { ...record, ...hooks, run, prepare: [...prepare, ...(hooks.prepare ?? [])] };
}
