import type { Static, TSchema } from "typebox";
import type { ProblemCode } from "./core-problems.ts";

/**
 * Something that can be asked for, by name: `verb-noun`, the same in every door.
 * - `write` becomes a command and may become an entry;
 * - `read` looks at what is durable;
 * - `internal` is a command that only Holdfast itself sends (timers, recovery).
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
  /** What it may be refused with, besides the codes that every operation shares. */
  readonly problems: readonly ProblemCode[];
}

export type OperationKind = "write" | "read" | "internal";

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
