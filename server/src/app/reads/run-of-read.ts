import { isObject } from "@holdfast/sdk/json/json";
import type { Json } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import type { CallContext, OperationRun } from "../calls/app-operation.ts";
import type { AppRead, AppReadContext } from "./app-read.ts";
import { withMomentaryState } from "./momentary-state.ts";

/** Answers a call with a read of a pack. */
export function runOfRead({ view, run }: AppRead): OperationRun {
  return {
    at: "head",
    async run(input: never, context) {
      const { engine } = context.services;
      const query = (state: StateReader) =>
        withMomentaryState(state, (moment) => run(input, readContext(context, input, moment)));
      return view === "keys" ? engine.read(query) : engine.scan(query);
    },
  };
}

function readContext({ services, speaker }: CallContext, input: Json, state: StateReader): AppReadContext {
  const { engine } = services;
  const { principal, agent } = speaker;
  const fence = isObject(input) ? input["fence"] : undefined;
  const time = engine.now();
  return {
    services,
    state,
    time,
    grace: engine.isInGrace,
    principal,
    agent,
    fence: typeof fence === "string" ? fence : undefined,
  };
}
