import type { OperationRun } from "../calls/app-operation.ts";
import { auditReads } from "./audit-reads.ts";
import { entityReads } from "./entity-reads.ts";
import { lockReads } from "./lock-reads.ts";
import type { Read } from "./read.ts";
import { tokenReads } from "./token-reads.ts";

/** The implementation of each read of a feature, by operation. */
export const readRuns: ReadonlyMap<string, OperationRun> = new Map(featureReads());

function featureReads(): readonly (readonly [string, OperationRun])[] {
  const reads: readonly (readonly [string, Read])[] = [
    ...Object.entries<Read>(entityReads),
    ...[...lockReads, ...auditReads, ...tokenReads].map(
      ({ operation, read }) => [operation.name, read as Read] as const,
    ),
  ];
  return reads.map(([name, read]) => [
    name,
    { at: "head", run: (input: never, { services, speaker }) => read(services.engine, input, speaker.agent) },
  ]);
}
