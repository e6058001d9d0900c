import { checkOf, entityOperations } from "@holdfast/sdk/contract";
import type { Operation } from "@holdfast/sdk/contract";
import { entityReads } from "./read-entities.ts";
import type { ReadNames } from "./read-entities.ts";
import { auditReads } from "./read-audit.ts";
import { lockReads } from "./read-locks.ts";
import type { ReadOperation } from "./read-operation.ts";
import { packReads } from "../packs/resource-reads.ts";
import { tokenReads } from "./read-tokens.ts";

export const readOperations: ReadonlyMap<string, ReadOperation> = new Map([
  ...Object.entries(entityReads).map(([name, read]): [string, ReadOperation] => {
    const operation: Operation = entityOperations[name as ReadNames];
    return [name, { check: checkOf(operation.input), read }];
  }),
  ...[...lockReads, ...auditReads, ...tokenReads].map(({ operation, read }): [string, ReadOperation] => [
    operation.name,
    { check: checkOf(operation.input), read },
  ]),
  ...packReads,
]);
