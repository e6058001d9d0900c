import { routesOf } from "@holdfast/sdk/contract";
import type { RoutedOperation } from "@holdfast/sdk/contract";
import type { OperationRecord } from "../../operations/operation-record.ts";
import type { OperationRegistry } from "../../operations/registry.ts";

/** An operation at one of its routes. It is resolved when the route is registered. */
export interface RoutedRecord extends Omit<RoutedOperation, "operation"> {
  readonly record: OperationRecord;
}

export function routedRecords(operations: OperationRegistry): readonly RoutedRecord[] {
  return operations.all.flatMap((record) =>
    routesOf(record).map(({ operation: _operation, ...rest }) => ({ ...rest, record })),
  );
}
