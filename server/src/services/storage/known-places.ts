import { gap } from "../../features/locks/tables/lock-tables.ts";
import { garbageTable, publishTable, versionTable } from "../../packs/files/file-tables.ts";
import type { VersionRow } from "../../packs/files/file-tables.ts";
import type { KnownPlaces } from "../../storage/recover-root.ts";
import type { ServiceFactory } from "../service.ts";

type Engine = Parameters<ServiceFactory>[0]["services"]["engine"];

/** Maximum versions of a page. */
const pageMax = 500;

/** Everything that the journal names in a root. Each question sees one moment. */
export function knownPlaces(engine: Engine, root: string): KnownPlaces {
  const prefix = `${root}${gap}`;
  return {
    knownOf: (ids) =>
      engine.scan((state) => {
        const hasVersion = (id: string): boolean =>
          state.rows(versionTable).scan("root", { prefix: `${prefix}${id}`, limit: 1 })[0]?.id === id;
        const isNamed = (id: string): boolean =>
          state.rows(publishTable).get(id) !== undefined ||
          state.rows(garbageTable).get(id) !== undefined ||
          hasVersion(id);
        return new Set(ids.filter(isNamed));
      }),
    async *versions() {
      let after: string | undefined;
      for (;;) {
        const page: readonly VersionRow[] = await engine.scan((state) =>
          state.rows(versionTable).scan("root", { prefix, after, limit: pageMax }),
        );
        yield page;
        const last = page.at(-1);
        if (last === undefined || page.length < pageMax) return;
        after = `${prefix}${last.id}`;
      }
    },
  };
}
