import type { Pack, Resource } from "@holdfast/sdk/contract";
import type { Kind } from "../features/entities/kind.ts";
import type { Feature } from "../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../machine/state.ts";

/** A page of a list: the ids of the matching resources and the cursor of the next page. */
export interface ListedPage {
  readonly ids: readonly string[];
  readonly next: string | null;
}

/** Finds a page of a resource by the filters of its list operation, with bounded work. */
export type ListResources = (state: StateReader, resource: Resource, input: JsonObject) => ListedPage;

/** The pure part of a pack: its contract, its feature and its kinds. */
export interface PackRules {
  readonly contract: Pack;
  readonly feature: Feature;
  readonly kinds: readonly Kind[];
  readonly list: ListResources;
}
