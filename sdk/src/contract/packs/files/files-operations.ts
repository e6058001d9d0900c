/** The operations that publish files. A publish becomes a version by one entry, or leaves nothing behind. */
import Type from "typebox";
import { fence } from "../../grant.ts";
import { operation } from "../../operation.ts";
import { ofWholeSpace } from "../../rights.ts";
import { post, put } from "../../routes.ts";
import {
  byteCount,
  fileMeta,
  filePath,
  fileTarget,
  fileVersion,
  publishId,
  publishView,
  sha256,
  storageRoot,
  versionNumber,
} from "./file-version.ts";

const closed = { additionalProperties: false } as const;
const ofTarget = ({ target }: { readonly target: string }) => ({ paths: [target] });
const ofPublish = ({ id }: { readonly id: string }) => ({ refs: [{ kind: "publish" as const, id }] });
const writesTarget = [{ verbs: ["write"], touches: ofTarget }] as const;
const writesPublish = [{ verbs: ["write"], touches: ofPublish }] as const;
const operators = [{ verbs: ["operate"], touches: ofWholeSpace }] as const;

/** Maximum bytes of a part of a file. */
export const partBytesMax = 8 * 1024 * 1024;

const open = operation({
  name: "files.open",
  kind: "write",
  hasOpenReply: true,
  summary: "Begins a publish. The fence is of a write lock on the target, or on the project, map or sketch above it.",
  input: Type.Object(
    {
      target: fileTarget,
      fence,
      root: Type.Optional(storageRoot),
      bytes_max: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: "Maximum bytes of all files together, which are reserved; 1 GiB by default.",
        }),
      ),
      expected_version: Type.Optional(
        Type.Integer({ minimum: 0, description: "The version that is current; 0 if there is none." }),
      ),
      timeout_seconds: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 86_400,
          description: "Time until the publish expires; 1 hour by default.",
        }),
      ),
      in_place: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description:
            "For a process that has the root: the text of `.root/id` in its folder. It writes the files into `<target>/tmp/<id>` itself.",
        }),
      ),
    },
    closed,
  ),
  output: Type.Object({ ...publishView.properties, part_bytes_max: byteCount }, closed),
  problems: [
    "fence_stale",
    "space_full",
    "files.root_unknown",
    "files.root_ambiguous",
    "files.root_degraded",
    "files.root_mismatch",
    "files.root_unavailable",
    "files.root_elsewhere",
    "files.storage_full",
    "files.storage_busy",
    "files.quota_exceeded",
    "files.version_conflict",
    "files.publishes_full",
  ],
  rights: writesTarget,
  routes: [post("/v1/files/publishes", { status: 201 })],
  example: { target: "site/docs", fence: "1.90" },
});

const upload = operation({
  name: "files.upload",
  kind: "write",
  hasOpenReply: true,
  summary:
    "Adds a part to a file of a publish. The part is durable when it is answered. A repeated part changes nothing.",
  input: Type.Object(
    {
      id: publishId,
      path: filePath,
      offset: Type.Optional(
        Type.Integer({ minimum: 0, description: "Bytes of the file before this part; 0 by default." }),
      ),
      sha256: Type.Optional(sha256),
    },
    closed,
  ),
  output: Type.Object({ path: filePath, bytes: byteCount }, closed),
  problems: [
    "files.publish_unknown",
    "files.root_elsewhere",
    "files.root_unavailable",
    "files.root_degraded",
    "files.name_invalid",
    "files.name_taken",
    "files.upload_offset",
    "files.part_late",
    "files.written_in_place",
    "files.digest_mismatch",
    "files.too_large",
    "files.too_many",
    "files.storage_full",
    "files.storage_busy",
  ],
  rights: writesPublish,
  routes: [put("/v1/files/publishes/{id}/parts")],
  example: { id: "p1-91", path: "index.html", offset: 0 },
  body: "binary",
  bodyBytesMax: partBytesMax,
});

const commit = operation({
  name: "files.commit",
  kind: "write",
  hasOpenReply: true,
  summary: "Makes the files of a publish the current version of its target, all at once, if its lock is still held.",
  input: Type.Object(
    {
      id: publishId,
      meta: Type.Optional(fileMeta),
      release: Type.Optional(Type.Boolean({ description: "Releases the lock in the same entry." })),
    },
    closed,
  ),
  output: fileVersion,
  problems: [
    "fence_stale",
    "space_full",
    "check_unavailable",
    "check_contended",
    "files.publish_unknown",
    "files.root_elsewhere",
    "files.root_unavailable",
    "files.root_degraded",
    "files.version_conflict",
    "files.meta_too_large",
    "files.folder_invalid",
    "files.too_large",
    "files.too_many",
    "files.other_device",
    "files.storage_full",
    "files.storage_busy",
  ],
  rights: writesPublish,
  routes: [post("/v1/files/publishes/{id}/commit")],
  example: { id: "p1-91", meta: { title: "Docs" }, release: true },
});

const abort = operation({
  name: "files.abort",
  kind: "write",
  hasOpenReply: true,
  summary: "Ends a publish without a version. Its files are removed.",
  input: Type.Object({ id: publishId }, closed),
  output: Type.Object({ id: publishId }, closed),
  problems: ["files.publish_unknown"],
  rights: writesPublish,
  routes: [post("/v1/files/publishes/{id}/abort")],
  example: { id: "p1-91" },
});

const pin = operation({
  name: "files.pin",
  kind: "write",
  hasOpenReply: true,
  summary: "Keeps a version for a time, so that a reader of many files gets all of them. Each reader has its own pin.",
  input: Type.Object(
    {
      target: fileTarget,
      version: Type.Optional(versionNumber),
      fence: Type.Optional(Type.String({ ...fence, description: "Of a read lock, for a target in a project." })),
      ttl_seconds: Type.Integer({ minimum: 1, maximum: 86_400, description: "Time for which the version is kept." }),
    },
    closed,
  ),
  output: fileVersion,
  problems: ["files.version_unknown", "files.lock_required", "files.pins_full"],
  rights: [{ verbs: ["read"], touches: ofTarget }],
  routes: [post("/v1/files/pin")],
  example: { target: "site/docs", version: 3, ttl_seconds: 600 },
});

const unpin = operation({
  name: "files.unpin",
  kind: "write",
  hasOpenReply: true,
  summary: "Ends the caller's pin of a version. Pins of other readers stay.",
  input: Type.Object({ target: fileTarget, version: versionNumber }, closed),
  output: Type.Object({ target: fileTarget, version: versionNumber }, closed),
  problems: ["files.version_unknown"],
  rights: [{ verbs: ["read"], touches: ofTarget }],
  routes: [post("/v1/files/unpin")],
  example: { target: "site/docs", version: 3 },
});

const remove = operation({
  name: "files.delete",
  kind: "write",
  hasOpenReply: true,
  summary: "Deletes a target with all its versions. The fence is of a write lock with the scope `tree`.",
  input: Type.Object({ target: fileTarget, fence }, closed),
  output: Type.Object({ target: fileTarget, versions: Type.Integer() }, closed),
  problems: ["fence_stale", "files.version_unknown", "files.version_pinned"],
  rights: writesTarget,
  routes: [post("/v1/files/delete")],
  example: { target: "site/docs", fence: "1.90" },
});

const bytesMax = Type.Union([byteCount, Type.Null()], { description: "Maximum bytes; null removes the quota." });
const settings = {
  retention_seconds: Type.Integer({
    minimum: 0,
    maximum: 31_536_000,
    description: "Time that a superseded version is kept; 1 hour by default. The one before the current stays longer.",
  }),
  file_bytes_max: Type.Integer({ minimum: 1, maximum: 2 ** 40, description: "Maximum bytes of a file; 1 GiB." }),
  files_max: Type.Integer({ minimum: 1, maximum: 200_000, description: "Maximum files of a version; 200,000." }),
};

const configure = operation({
  name: "files.configure",
  kind: "write",
  hasOpenReply: true,
  summary: "Changes limits and quotas of files. Absent settings stay.",
  input: Type.Object(
    {
      ...Type.Partial(Type.Object(settings)).properties,
      root_quotas: Type.Optional(Type.Record(storageRoot, bytesMax, { maxProperties: 100 })),
      quotas: Type.Optional(
        Type.Record(fileTarget, bytesMax, { maxProperties: 100, description: "By the beginning of the target." }),
      ),
    },
    { ...closed, minProperties: 1 },
  ),
  output: Type.Object(settings, closed),
  problems: ["files.root_unknown", "files.quotas_full"],
  rights: operators,
  routes: [post("/v1/files/configure")],
  example: { quotas: { "project/p1": 10_000_000_000 } },
});

const clearRoot = operation({
  name: "files.clear-root",
  kind: "write",
  hasOpenReply: true,
  summary: "Lets a degraded storage root take publishes again, after an operator has examined its disk.",
  input: Type.Object(
    {
      root: storageRoot,
      forget_id: Type.Optional(
        Type.Boolean({ description: "The next folder that is announced as this root is accepted, with any id." }),
      ),
    },
    closed,
  ),
  output: Type.Object({ root: storageRoot }, closed),
  problems: ["files.root_unknown"],
  rights: operators,
  routes: [post("/v1/files/roots/{root}/clear")],
  example: { root: "main" },
});

export const filesOperations = [open, upload, commit, abort, pin, unpin, remove, configure, clearRoot];
