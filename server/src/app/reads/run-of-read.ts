import type { StateReader } from "../../machine/state.ts";
import type { OperationRun } from "../calls/app-operation.ts";
import type { AppRead } from "./app-read.ts";
import { withMomentaryState } from "./momentary-state.ts";
import { readContextOf } from "./read-context-of.ts";

/** Answers a call with a read of a pack. */
export function runOfRead({ view, run }: AppRead): OperationRun {
  return {
    at: "head",
    async run(input: never, context) {
      const { engine } = context.services;
      const query = (state: StateReader) =>
        withMomentaryState(state, (moment) => run(input, readContextOf(context, input, moment)));
      return view === "keys" ? engine.read(query) : engine.scan(query);
    },
  };
}
