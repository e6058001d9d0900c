import type { Pack, Resource } from "@holdfast/sdk/contract";
import type { Kind } from "../features/entities/kind.ts";
import type { Feature } from "../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../machine/state.ts";

/** A page of a list: the ids of the resources that fit, and from where the next page goes on. */
export interface ListedPage {
  readonly ids: readonly string[];
  readonly next: string | null;
}

/** A pack as the server has it: the contract, and the pure part that keeps it. */
export interface PackRules {
  readonly contract: Pack;
  readonly feature: Feature;
  readonly kinds: readonly Kind[];
  /** Finds a page of a resource by the filters of its list operation, in bounded work. */
  readonly list: (state: StateReader, resource: Resource, input: JsonObject) => ListedPage;
}
