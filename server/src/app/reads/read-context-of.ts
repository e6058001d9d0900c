import { isObject } from "@holdfast/sdk/json/json";
import type { Json } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import type { CallContext } from "../calls/app-operation.ts";
import type { AppReadContext } from "./app-read.ts";

/** The context of a read or a view: the state at one moment, and the caller. */
export function readContextOf(context: CallContext, input: Json, state: StateReader): AppReadContext {
  const { services, speaker, isOperator = false, rights } = context;
  const { engine } = services;
  const { principal, agent } = speaker;
  const fence = isObject(input) ? input["fence"] : undefined;
  return {
    services,
    isOperator,
    rights,
    state,
    time: engine.now(),
    grace: engine.isInGrace,
    principal,
    agent,
    fence: typeof fence === "string" ? fence : undefined,
  };
}
