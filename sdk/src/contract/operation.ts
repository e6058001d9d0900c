import type { Static, TSchema } from "typebox";
import type { ProblemCode } from "./core-problems.ts";

/**
 * A named request, `verb-noun`, the same at every door.
 * - `write` becomes a command and may become an entry;
 * - `read` reads durable state;
 * - `internal` is a command that only Holdfast sends (timers, recovery).
 */
export interface Operation<
  Name extends string = string,
  Input extends TSchema = TSchema,
  Output extends TSchema = TSchema,
  Kind extends OperationKind = OperationKind,
> {
  readonly name: Name;
  readonly kind: Kind;
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  /** The problem codes of this operation, in addition to those that every operation shares. */
  readonly problems: readonly ProblemCode[];
}

type OperationKind = "write" | "read" | "internal";

export function operation<
  const Name extends string,
  Input extends TSchema,
  Output extends TSchema,
  const Kind extends OperationKind,
>(definition: Operation<Name, Input, Output, Kind>): Operation<Name, Input, Output, Kind> {
  return definition;
}

export type InputOf<O extends Operation> = Static<O["input"]>;
export type OutputOf<O extends Operation> = Static<O["output"]>;
