import { routedOperations } from "@holdfast/sdk/contract";
import type { RoutedOperation } from "@holdfast/sdk/contract";
import type { OperationRecord } from "../../operations/operation-record.ts";
import { recordOf } from "../../operations/registry.ts";
import type { OperationRegistry } from "../../operations/registry.ts";

/** An operation at one of its routes. It is resolved when the route is registered. */
export interface RoutedRecord extends Omit<RoutedOperation, "operation"> {
  readonly record: OperationRecord;
}

export function routedRecords(operations: OperationRegistry): readonly RoutedRecord[] {
  return routedOperations.map(({ operation, ...rest }) => ({ ...rest, record: recordOf(operations, operation.name) }));
}
