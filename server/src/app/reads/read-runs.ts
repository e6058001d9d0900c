import { allVerbs } from "@holdfast/sdk/contract";
import type { CallRights } from "../../operations/call.ts";
import type { OperationRun } from "../calls/app-operation.ts";
import { auditReads } from "./audit-reads.ts";
import { entityReads } from "./entity-reads.ts";
import type { Kind } from "../../features/entities/kind.ts";
import { lockReads } from "./lock-reads.ts";
import type { Read } from "./read.ts";
import { underReadRule } from "./read-refusal.ts";
import { tokenReads } from "./token-reads.ts";

/** The implementation of each read of a feature, by operation. Reads of entities ask the rule of the kind. */
export function readRuns(kinds: readonly Kind[]): readonly (readonly [string, OperationRun])[] {
  const byType = new Map(kinds.map((kind) => [kind.type, kind]));
  const others = [...lockReads, ...auditReads, ...tokenReads];
  return [
    ...Object.entries<Read>(entityReads).map(
      ([name, read]) => [name, underReadRule((type) => byType.get(type), runOf(read))] as const,
    ),
    ...others.map(({ operation, read }) => [operation.name, runOf(read as Read)] as const),
  ];
}

/** A program in this process may do everything. */
const everything: CallRights["allow"] = [{ verbs: [...allVerbs], under: "" }];

function runOf(read: Read): OperationRun {
  return {
    at: "head",
    run: (input: never, { services, speaker, rights }) =>
      read(services.engine, input, speaker.agent, rights ?? { principal: speaker.principal, allow: everything }),
  };
}
