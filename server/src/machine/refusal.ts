import type { Done, Refusal } from "./entry.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";

export function done(data: JsonObject): Done {
  return { kind: "done", data };
}

export function refusal(code: string, data: JsonObject = {}): Refusal {
  return { kind: "refusal", code, data };
}
