/** The reads of files. A reader gets what MANIFEST names, and never a listing of the disk. */
import Type from "typebox";
import { fence } from "../../grant.ts";
import { operation } from "../../operation.ts";
import { ofCaller, ofWholeSpace } from "../../rights.ts";
import { get } from "../../routes.ts";
import {
  filePath,
  fileTarget,
  fileVersion,
  listedFile,
  publishId,
  publishView,
  rootView,
  storageRoot,
  versionNumber,
} from "./file-version.ts";

const closed = { additionalProperties: false } as const;
const ofTarget = ({ target }: { readonly target: string }) => ({ paths: [target] });
const readsTarget = [{ verbs: ["read"], touches: ofTarget }] as const;
const limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 1_000, description: "Maximum items; 100 by default." }),
);
const page = <Item extends Type.TSchema>(item: Item) => ({
  items: Type.Array(item),
  next: Type.Union([Type.String(), Type.Null()], { description: "Send it as `after` for the next page." }),
});
const readLock = {
  fence: Type.Optional(Type.String({ ...fence, description: "Of a read lock, for a target in a project." })),
};
const versionOf = { target: fileTarget, version: Type.Optional(versionNumber), ...readLock };

const getVersion = operation({
  name: "files.get",
  kind: "read",
  summary: "Reads the current version of a target, one that is still kept, or the one at a position of the journal.",
  input: Type.Object(
    {
      ...versionOf,
      position: Type.Optional(
        Type.Integer({
          minimum: 0,
          description: "The version that was current right after the entry at this position.",
        }),
      ),
    },
    closed,
  ),
  output: fileVersion,
  problems: ["files.version_unknown", "files.lock_required", "entry_erased"],
  rights: readsTarget,
  routes: [get("/v1/files/version")],
  example: { target: "site/docs" },
});

const list = operation({
  name: "files.list",
  kind: "read",
  summary: "Lists the files of a version with their sizes and digests, by path.",
  input: Type.Object({ ...versionOf, after: Type.Optional(filePath), limit }, closed),
  output: Type.Object({ target: fileTarget, version: versionNumber, ...page(listedFile) }, closed),
  problems: [
    "files.version_unknown",
    "files.lock_required",
    "files.root_elsewhere",
    "files.root_unavailable",
    "files.damaged",
    "files.storage_busy",
  ],
  rights: readsTarget,
  routes: [get("/v1/files/list")],
  example: { target: "site/docs", limit: 100 },
});

const content = operation({
  name: "files.content",
  kind: "read",
  summary: "Reads the bytes of a file. The tag is the SHA-256 digest of the file, and ranges are supported.",
  input: Type.Object({ ...versionOf, path: filePath }, closed),
  output: Type.Object({}, closed),
  problems: [
    "files.version_unknown",
    "files.lock_required",
    "files.file_unknown",
    "files.root_elsewhere",
    "files.root_unavailable",
    "files.damaged",
    "files.storage_busy",
  ],
  rights: readsTarget,
  routes: [get("/v1/files/content")],
  example: { target: "site/docs", path: "index.html" },
  answer: "stream",
});

const listTargets = operation({
  name: "files.list-targets",
  kind: "read",
  summary: "Lists the targets at or below a path, with their current versions.",
  input: Type.Object(
    {
      under: Type.Optional(fileTarget),
      after: Type.Optional(fileTarget),
      limit,
      fence: Type.Optional(Type.String({ ...fence, description: "Of a job of a project, which acts without a role." })),
    },
    closed,
  ),
  output: Type.Object(page(fileVersion), closed),
  problems: [],
  rights: [{ verbs: ["read"], touches: ({ under }) => (under === undefined ? { space: true } : { paths: [under] }) }],
  routes: [get("/v1/files/targets")],
  example: { under: "site" },
});

const listVersions = operation({
  name: "files.list-versions",
  kind: "read",
  summary: "Lists the versions of a target that are kept, the newest first.",
  input: Type.Object({ target: fileTarget, ...readLock, after: Type.Optional(versionNumber), limit }, closed),
  output: Type.Object({ items: Type.Array(fileVersion), next: Type.Union([versionNumber, Type.Null()]) }, closed),
  problems: ["files.lock_required"],
  rights: readsTarget,
  routes: [get("/v1/files/versions")],
  example: { target: "site/docs" },
});

const listPublishes = operation({
  name: "files.list-publishes",
  kind: "read",
  summary: "Lists the publishes that have not ended.",
  input: Type.Object({ after: Type.Optional(publishId), limit }, closed),
  output: Type.Object(page(publishView), closed),
  problems: [],
  rights: [{ verbs: ["read"], touches: ofWholeSpace }],
  routes: [get("/v1/files/publishes")],
  example: {},
});

const listRoots = operation({
  name: "files.list-roots",
  kind: "read",
  summary: "Lists the storage roots and the nodes that have them.",
  input: Type.Object({ after: Type.Optional(storageRoot), limit }, closed),
  output: Type.Object(page(rootView), closed),
  problems: [],
  rights: [{ verbs: ["read", "write"], touches: ofCaller }],
  routes: [get("/v1/files/roots")],
  example: {},
});

export const filesReads = [getVersion, list, content, listTargets, listVersions, listPublishes, listRoots];
