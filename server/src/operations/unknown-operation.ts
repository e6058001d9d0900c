import Type from "typebox";
import { internalOperation } from "@holdfast/sdk/contract";
import { operationRecord } from "./operation-record.ts";
import type { OperationRecord } from "./operation-record.ts";

const nothing = Type.Unknown();

/** Maximum characters of an unknown name that the refusal repeats. */
const nameMax = 128;

/**
 * The record of a name that no operation has. A call of it passes the limits and the metrics like any other, and the
 * application layer refuses it.
 */
export function unknownOperation(name: string): OperationRecord {
  const definition = { name: name.slice(0, nameMax), summary: "", input: nothing, output: nothing, problems: [] };
  return operationRecord(internalOperation(definition));
}
