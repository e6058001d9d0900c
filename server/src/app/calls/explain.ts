import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Refusal } from "../../machine/entry.ts";
import type { EngineServices } from "../engine-services.ts";

export interface ExplainContext {
  readonly services: EngineServices;
  readonly input: JsonObject;
  /** The recorded position of the refusal, or the head if it was not recorded. */
  readonly position: number;
}

/**
 * Finds data that is added to a refusal. It reads the history up to the recorded position only, so a replay gets the
 * same data.
 */
export type Explain = (refusal: Refusal, context: ExplainContext) => JsonObject | Promise<JsonObject>;
