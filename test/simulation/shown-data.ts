import type { JsonObject } from "../../sdk/src/json/json.ts";

/** The data of an event as callers see it. An own key is recorded and not published. */
export function shownData({ own_key: _ownKey, ...data }: JsonObject): JsonObject {
  return data;
}
