import { gap } from "../../features/locks/tables/lock-tables.ts";
import { garbageTable, publishTable, versionTable } from "../../packs/files/file-tables.ts";
import type { KnownPlaces } from "../../storage/recover-root.ts";
import type { ServiceFactory } from "../service.ts";

type Scan = Parameters<ServiceFactory>[0]["services"]["engine"]["scan"];
type State = Parameters<Parameters<Scan>[0]>[0];

/** Everything that the journal names in a root. */
export function knownPlaces(state: State, root: string): KnownPlaces {
  const range = { prefix: `${root}${gap}`, limit: Infinity };
  const versions = state.rows(versionTable).scan("root", range);
  const publishes = state.rows(publishTable).scan("root", range);
  const garbage = state.rows(garbageTable).scan("root", range);
  const ids = new Set([...versions, ...publishes, ...garbage].map(({ id }) => id));
  return { versions, isKnown: ({ id }) => ids.has(id) };
}
