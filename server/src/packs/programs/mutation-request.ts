import type { WantedMutation } from "./mutation-findings.ts";

/** A change of the content of a program, of any operation. */
export interface MutationRequest {
  readonly programId: string;
  readonly what: "mutate" | "undo" | "redo" | "import";
  /** The position of the mutation that is undone or redone. */
  readonly of?: number;
  /** The existing items that it changes. */
  readonly touched: readonly string[];
  readonly isStructural: boolean;
  /** Functions that are removed, renamed or moved, and modules whose functions are concerned. */
  readonly concerned: { readonly functions: readonly string[]; readonly modules: ReadonlySet<string> };
  /** True if it needs the lock of the whole program. */
  readonly needsProgramLock: boolean;
  /** The hashes that the caller read, by id or by item. */
  readonly expected: Readonly<Record<string, string>>;
  readonly description?: string | undefined;
  readonly release: boolean;
  readonly fence?: string | undefined;
  readonly wanted: WantedMutation;
}

/** Items as one text: conflicts are counted by the touched items. */
export function setOf(touched: readonly string[]): string {
  return touched.toSorted().join(",");
}

/** The changed items that existed before. They are the touched items, unless a step changed nothing. */
export function replacedItems(items: readonly { readonly item: string; readonly change: string }[]): readonly string[] {
  return items.filter(({ change }) => change !== "added").map(({ item }) => item);
}
