import { checkOf, entityOperations } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import { entityReads } from "./entity-reads.ts";
import type { ReadNames } from "./entity-reads.ts";
import { auditReads } from "./audit-reads.ts";
import { lockReads } from "./lock-reads.ts";
import type { ReadOperation } from "./read-operation.ts";
import { resourceReads } from "../packs/resource-reads.ts";
import { tokenReads } from "./token-reads.ts";

export const readOperations: ReadonlyMap<string, ReadOperation> = new Map([
  ...Object.entries(entityReads).map(([name, read]): [string, ReadOperation] => {
    const operation: Operation = entityOperations[name as ReadNames];
    return [name, { check: checkOf(operation.input), read }];
  }),
  ...[...lockReads, ...auditReads, ...tokenReads].map(({ operation, read }): [string, ReadOperation] => [
    operation.name,
    { check: checkOf(operation.input), read },
  ]),
  ...resourceReads,
]);
