/** The events of files. The subject of an event about a target is `file/<target>`, and the target is its path. */
import Type from "typebox";
import type { TProperties } from "typebox";
import { withoutPath } from "../../event-type.ts";
import type { EventType } from "../../event-type.ts";

/** Events also carry members that only a fold needs. */
const open = { additionalProperties: true } as const;
const text = Type.String();
const number = Type.Number();

const ofTarget = (summary: string, members: TProperties): EventType => ({
  summary,
  data: Type.Object(members, open),
  paths: ({ subject }) => [subject.slice("file/".length)],
});

const ofSpace = (summary: string, members: TProperties): EventType => ({
  summary,
  data: Type.Object(members, open),
  paths: withoutPath,
});

export const filesEvents = {
  "files.opened": ofTarget("A publish began.", { id: text, root: text, bytes_max: number, until: number }),
  "files.committed": ofTarget("A publish became the current version of its target.", {
    id: text,
    version: number,
    files: number,
    bytes: number,
    digest: text,
  }),
  "files.aborted": ofTarget("A publish ended without a version.", { id: text, why: text }),
  "files.pinned": ofTarget("A reader keeps a version for a time.", { version: number, until: number }),
  "files.unpinned": ofTarget("A reader ended its pin of a version.", { version: number }),
  "files.collected": ofTarget("The retention time of a superseded version is over.", { version: number }),
  "files.deleted": { ...ofTarget("A target was deleted with all its versions.", {}), audit: "FILES_DELETED" },
  "files.removed": ofSpace("Folders were removed from the disk.", { ids: Type.Array(text) }),
  "files.root_announced": ofSpace("A node has a storage root.", { root: text, node: text, session: text }),
  "files.root_degraded": {
    ...ofSpace("A storage root could not keep bytes. It takes no publishes.", { root: text, reason: text }),
    audit: "STORAGE_ROOT_DEGRADED",
  },
  "files.root_cleared": {
    ...ofSpace("An operator cleared a storage root.", { root: text }),
    audit: "STORAGE_ROOT_CLEARED",
  },
  "files.configured": {
    ...ofSpace("An operator changed limits or quotas of files.", { settings: Type.Record(text, Type.Unknown()) }),
    audit: "FILES_CONFIGURED",
  },
} as const satisfies Record<string, EventType>;
