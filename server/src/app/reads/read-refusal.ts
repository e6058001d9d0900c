import type { Kind } from "../../features/entities/kind.ts";
import { refusalOfKind } from "../../features/entities/kind.ts";
import type { Refusal } from "../../machine/entry.ts";
import type { OperationRun } from "../calls/app-operation.ts";
import type { AppReadContext } from "./app-read.ts";
import { withMomentaryState } from "./momentary-state.ts";
import { readContextOf } from "./read-context-of.ts";

/** The refusal of a read by the kind of the entity; undefined if it is allowed. Operators may read everything. */
export function readRefusal(kind: Kind | undefined, context: AppReadContext, id?: string): Refusal | undefined {
  if (kind?.readRule === undefined || context.isOperator) return undefined;
  const refused = kind.readRule(context, id);
  return refused === undefined ? undefined : refusalOfKind(kind, refused);
}

/** A read of entities of any type, which asks the read rule of the kind first. */
export function underReadRule(kindOf: (type: string) => Kind | undefined, { at, run }: OperationRun): OperationRun {
  return {
    at,
    async run(input: never, context) {
      const { type, id } = input as { readonly type: string; readonly id?: string };
      const kind = kindOf(type);
      if (kind?.readRule === undefined) return run(input, context);
      const refused = await context.services.engine.scan((state) =>
        withMomentaryState(state, (moment) => readRefusal(kind, readContextOf(context, input, moment), id)),
      );
      return refused ?? run(input, context);
    },
  };
}
