import { done } from "../../../machine/refusal.ts";
import { rootTable } from "../../../packs/files/file-tables.ts";
import { rootView } from "../../../packs/files/version-view.ts";
import type { AppRead } from "../../reads/app-read.ts";

interface RootsQuery {
  readonly after?: string;
  readonly limit?: number;
}

/** The roots of all nodes. Which of them are here is known to this node alone. */
export const listRoots: AppRead = {
  view: "scan",
  run({ after, limit = 100 }: RootsQuery, { state, services: { storage } }) {
    const found = state.rows(rootTable).scan("root", { after, limit: limit + 1 });
    const rows = found.slice(0, limit);
    const next = found.length > limit ? (rows.at(-1)?.root ?? null) : null;
    return done({ items: rows.map((row) => rootView(state, row, storage.has(row.root))), next });
  },
};
