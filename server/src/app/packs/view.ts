import type { JsonObject } from "@holdfast/sdk/json/json";
import type { AppReadContext } from "../reads/app-read.ts";

/**
 * The fields of a resource as its operations show them, from its entity. The id, the revision and the other facts of the
 * entity are added to them, and win. A view reads the state by key and never waits.
 */
export type View = (entity: JsonObject, context: AppReadContext) => JsonObject;
