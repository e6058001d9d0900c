import type { OperationRecord } from "./operation-record.ts";

/** Every operation that a caller may send. */
export interface OperationRegistry<Record extends OperationRecord = OperationRecord> {
  /** The operation of this name; undefined for an unknown or internal one. */
  readonly find: (name: string) => Record | undefined;
  readonly all: readonly Record[];
}

/** The operation of a name that the contract has. */
export function recordOf<Record extends OperationRecord>(operations: OperationRegistry<Record>, name: string): Record {
  const record = operations.find(name);
  if (record === undefined) throw new Error(`the registry has no operation ${name}`);
  return record;
}

/** Two operations of one name would hide each other, and one without a right would be open to all. Both stop the start. */
export function registryOf<Record extends OperationRecord>(records: readonly Record[]): OperationRegistry<Record> {
  const byName = new Map<string, Record>();
  for (const record of records.filter(({ kind }) => kind !== "internal")) {
    const { name } = record;
    if (byName.has(name)) throw new Error(`two operations have the name ${name}; rename one of them`);
    if (record.rights.length === 0) throw new Error(`the operation ${name} has no right; add one to its definition`);
    byName.set(name, record);
  }
  return { find: (name) => byName.get(name), all: [...byName.values()] };
}
