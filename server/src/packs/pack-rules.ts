import type { Pack, Resource } from "@holdfast/sdk/contract";
import type { Kind } from "../features/entities/kind.ts";
import type { Feature } from "../machine/feature.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Outcome } from "../machine/entry.ts";
import type { ReadContext } from "../machine/read-context.ts";
import type { StateReader } from "../machine/state.ts";
import type { TargetRule } from "./files/target-rule.ts";

/** A page of a list: the ids of the matching resources and the cursor of the next page. */
export interface ListedPage {
  readonly ids: readonly string[];
  readonly next: string | null;
}

/** Finds a page of a resource by the filters of its list operation, with bounded work. */
export type ListResources = (state: StateReader, resource: Resource, input: JsonObject) => ListedPage;

/** A read that needs only the state. `keys` looks up rows, and `scan` also reads rows in order. */
export interface PureRead {
  readonly view: "keys" | "scan";
  readonly run: (input: never, context: ReadContext) => Outcome;
}

/** The pure part of a pack: its contract, its feature, its kinds and its reads. */
export interface PackRules {
  readonly contract: Pack;
  readonly feature: Feature;
  readonly kinds: readonly Kind[];
  /** Reads besides `get` and `list` of its resources, by operation. */
  readonly reads?: Readonly<Record<string, PureRead>>;
  /** Answers `list` of its resources. */
  readonly list?: ListResources;
  /** Its rules about targets of files. The pack `files` asks them before a publish, a commit, a read and a deletion. */
  readonly targets?: readonly TargetRule[];
}
