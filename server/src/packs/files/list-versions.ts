/** The reads of files that need only the state. */
import { defined } from "@holdfast/sdk/base/defined";
import { iso } from "../../features/locks/tables/lock-events.ts";
import { sortable } from "../../features/locks/tables/lock-tables.ts";
import { done } from "../../machine/refusal.ts";
import type { PureRead } from "../pack-rules.ts";
import { findVersion, unknownVersion } from "./find-version.ts";
import { pinnedUntil, publishTable, targetTable, versionKey, versionTable } from "./file-tables.ts";
import { publishView, versionView } from "./version-view.ts";

const limitDefault = 100;

export const getVersion: PureRead = {
  view: "keys",
  run: ({ target, version }: { readonly target: string; readonly version?: number }, { state }) => {
    const row = findVersion(state, target, version);
    if (row === undefined) return unknownVersion(target, version).outcome;
    return done(versionView(row, state.rows(targetTable).get(target)?.version ?? 0));
  },
};

interface VersionsQuery {
  readonly target: string;
  readonly after?: number;
  readonly limit?: number;
}

export const listVersions: PureRead = {
  view: "scan",
  run: ({ target, after, limit = limitDefault }: VersionsQuery, { state, time }) => {
    const prefix = versionKey(target, 0).slice(0, -sortable(0).length);
    const all = state.rows(versionTable).scan("target", { prefix, limit: Infinity, descending: true });
    const older = after === undefined ? all : all.filter(({ version }) => version < after);
    const rows = older.slice(0, limit);
    const current = state.rows(targetTable).get(target)?.version ?? 0;
    const items = rows.map((row) => {
      const until = pinnedUntil(row);
      return { ...versionView(row, current), ...defined({ pinned_until: until > time ? iso(until) : undefined }) };
    });
    return done({ items, next: older.length > limit ? (rows.at(-1)?.version ?? null) : null });
  },
};

export const listPublishes: PureRead = {
  view: "scan",
  run: ({ after, limit = limitDefault }: { readonly after?: string; readonly limit?: number }, { state }) => {
    // The id ends with the position of its entry, which is its order.
    const last = after === undefined ? undefined : sortable(Number(after.slice(after.indexOf("-") + 1)));
    const found = state.rows(publishTable).scan("order", { after: last, limit: limit + 1 });
    const rows = found.slice(0, limit);
    const next = found.length > limit ? (rows.at(-1)?.id ?? null) : null;
    return done({ items: rows.map(publishView), next });
  },
};
