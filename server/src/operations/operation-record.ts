import { checkOf, packs } from "@holdfast/sdk/contract";
import type { InputCheck, Operation, Pack } from "@holdfast/sdk/contract";

/** An operation with what the layers need of it on every call. A door finds it once, by name or by route. */
export interface OperationRecord extends Operation {
  /** Checks an input. It is compiled at the first use. */
  readonly check: InputCheck;
  readonly pack: Pack | undefined;
  /** The type of the entity that the operation is about; undefined if it is about no entity. */
  readonly entityTypeOf: ((input: { readonly type?: unknown }) => unknown) | undefined;
}

const packOf = new Map(packs.flatMap((pack) => pack.operations.map((operation) => [operation, pack] as const)));

/** The record of an operation. `entityType` is that of a kind, for the kind's own commands. */
export function operationRecord(operation: Operation, entityType?: string): OperationRecord {
  const type = entityType ?? operation.resource?.type;
  const pack = packOf.get(operation);
  let check: InputCheck | undefined;
  return {
    ...operation,
    check: (value) => (check ??= checkOf(operation.input))(value),
    pack,
    entityTypeOf: type === undefined ? typeInInput(operation, pack) : () => type,
  };
}

/** The operations on entities of any type have the type in their input. An operation of a pack names its resource. */
function typeInInput({ input }: Operation, pack: Pack | undefined): OperationRecord["entityTypeOf"] {
  if (pack !== undefined) return undefined;
  const { properties } = input as { readonly properties?: Readonly<Record<string, unknown>> };
  return properties !== undefined && "type" in properties && "id" in properties ? ({ type }) => type : undefined;
}
