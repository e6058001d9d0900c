import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import { findVersion } from "./find-version.ts";
import { targetTable } from "./file-tables.ts";
import { versionView } from "./version-view.ts";

interface TargetRange {
  readonly under: string;
  readonly after: string | undefined;
  /** Maximum rows to examine. */
  readonly rows: number;
}

interface ShownTargets {
  readonly shown: readonly { readonly cursor: string; readonly item: JsonObject }[];
  /** The last examined target if others may follow. It may be hidden. */
  readonly examined: string | undefined;
}

/** The current versions of the next targets that are shown. */
export function shownTargets(
  state: StateReader,
  { under, after, rows: limit }: TargetRange,
  isShown: (target: string) => boolean,
): ShownTargets {
  const rows = state.rows(targetTable).scan("target", { prefix: under, after, limit });
  const shown = rows
    // Another target may begin with the same letters.
    .filter(({ target }) => isAtOrBelow(target, under) && isShown(target))
    .flatMap(({ target, version }) => {
      const row = findVersion(state, target, version);
      return row === undefined ? [] : [{ cursor: target, item: versionView(row, version) }];
    });
  return { shown, examined: rows.length < limit ? undefined : rows.at(-1)?.target };
}
