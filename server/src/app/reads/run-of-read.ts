import type { Pack } from "@holdfast/sdk/contract";
import { packOff } from "../../packs/pack-off.ts";
import type { StateReader } from "../../machine/state.ts";
import type { OperationRun } from "../calls/app-operation.ts";
import type { AppRead } from "./app-read.ts";
import { withMomentaryState } from "./momentary-state.ts";
import { readContextOf } from "./read-context-of.ts";

/** Answers a call with a read of a pack. A pack that is off answers nothing. */
export function runOfRead(pack: Pack, { view, run }: AppRead): OperationRun {
  return {
    at: "head",
    async run(input: never, context) {
      const { engine } = context.services;
      const query = (state: StateReader) =>
        packOff(state, pack) ??
        withMomentaryState(state, (moment) => run(input, readContextOf(context, input, moment)));
      return view === "keys" ? engine.read(query) : engine.scan(query);
    },
  };
}
