/** The findings of a check about a mutation. The decision compares them with the state of its own entry. */
import type { Diagnostic } from "./language/diagnostic.ts";
import type { CreatedItem, NextIds } from "./language/steps/step-context.ts";
import type { Verdict } from "./language/check/verdict.ts";
import type { ItemValue } from "./program-value.ts";

export interface ItemWrite {
  readonly item: string;
  /** Null: the item is removed. */
  readonly value: ItemValue | null;
}

export interface MutationFindings<Write = ItemWrite> {
  readonly check: string;
  /** The structure that the check saw. Names and ids depend on it. */
  readonly structure: string;
  /** The structure after a structure change. */
  readonly next_structure?: string;
  /** The history of mutations that the check saw, if it read too much to list. */
  readonly chain?: string;
  /** The history with this mutation, if it writes something. */
  readonly next_chain?: string;
  readonly settings: { readonly cases: number; readonly steps: number };
  /** The marks of the touched and written items before the change. Null: the item does not exist. */
  readonly bases: Readonly<Record<string, string | null>>;
  readonly reads: Readonly<Record<string, string>> | "all";
  /** The number of users of each item whose users were read. All users are among the reads, so the number is exact. */
  readonly users: Readonly<Record<string, number>>;
  readonly writes: readonly Write[];
  readonly created: readonly CreatedItem[];
  /** The numbers of the next minted ids, if the mutation minted some. */
  readonly next?: NextIds;
  /** Functions that new calls name, apart from those that are written. */
  readonly new_calls: readonly string[];
  /** The changed types and all that contain them. */
  readonly types: readonly string[];
  readonly verdict: Omit<Verdict, "errors">;
  /** True if a step could not be applied. */
  readonly is_invalid: boolean;
  readonly errors: readonly Diagnostic[];
}

/** The work that the thread gets to check. */
export type WantedMutation =
  | {
      readonly kind: "steps";
      readonly steps: readonly unknown[];
      readonly touched: readonly string[];
      /** The hashes that the caller expects. They are compared in the decision. */
      readonly expected: Readonly<Record<string, string>>;
    }
  | { readonly kind: "import"; readonly text: string }
  | { readonly kind: "restore"; readonly writes: readonly ItemWrite[] };

/** Maximum items that evidence lists. Above it the whole history of the program must be the same. */
export const readsMax = 512;
