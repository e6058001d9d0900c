/** The members of publishes, versions, files and storage roots. */
import Type from "typebox";
import { isoTime } from "../../agents.ts";

const closed = { additionalProperties: false } as const;
const count = Type.Integer({ minimum: 0 });

/** A name may not be that of a folder in which the storage keeps publishes and versions. */
const name = "(?!tmp(?:/|$))(?!v\\.)[A-Za-z0-9][A-Za-z0-9._-]{0,63}";

export const fileTarget = Type.String({
  pattern: `^${name}(?:/${name}){0,15}$`,
  maxLength: 1_024,
  description:
    "The thing that is published, such as `site/docs`: up to 16 names of letters, digits, dots, hyphens and underscores. It is the path for rights.",
});

export const filePath = Type.String({
  minLength: 1,
  maxLength: 1_024,
  description: "The path of a file in its version, such as `css/main.css`.",
});

export const storageRoot = Type.String({
  pattern: "^[a-z0-9][a-z0-9._-]{0,63}$",
  description: "The name of a storage root.",
});

export const publishId = Type.String({
  pattern: "^p[0-9]+-[0-9]+$",
  description: "The id of a publish. Its folder on the disk has this name.",
});

export const sha256 = Type.String({ pattern: "^[0-9a-f]{64}$", description: "A SHA-256 digest in hex digits." });

export const versionNumber = Type.Integer({ minimum: 1, description: "The number of a version of its target." });

export const byteCount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

export const fileMeta = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
  maxProperties: 100,
  description: "Data about the version, at most 4 KiB of JSON.",
});

/** One version of a target: all its files, published at once. */
export const fileVersion = Type.Object(
  {
    target: fileTarget,
    version: versionNumber,
    is_current: Type.Boolean(),
    root: storageRoot,
    files: count,
    bytes: byteCount,
    digest: Type.String({ ...sha256, description: "The SHA-256 digest of the list of files with their digests." }),
    meta: Type.Optional(fileMeta),
    published_by: Type.String(),
    published_at: isoTime,
    is_removed: Type.Optional(
      Type.Boolean({ description: "Its files were removed. Only a read at a position shows such a version." }),
    ),
    kept_until: Type.Optional(Type.String({ ...isoTime, description: "A superseded version is removed after it." })),
    pinned_until: Type.Optional(
      Type.String({
        ...isoTime,
        description: "The end of the last pin of its readers. Only `files.list-versions` shows it.",
      }),
    ),
  },
  closed,
);

export const listedFile = Type.Object({ path: filePath, bytes: byteCount, sha256 }, closed);

export const publishView = Type.Object(
  {
    id: publishId,
    target: fileTarget,
    root: storageRoot,
    bytes_max: byteCount,
    opened_by: Type.String(),
    expires_at: isoTime,
  },
  closed,
);

export const nodeUrl = Type.String({
  maxLength: 1_024,
  description: "The address of the node for clients, if the node knows it.",
});

export const rootView = Type.Object(
  {
    root: storageRoot,
    node: Type.String({ description: "The name of the node that announced it." }),
    url: Type.Optional(nodeUrl),
    is_here: Type.Boolean({ description: "The node that answers has it." }),
    is_degraded: Type.Boolean({ description: "It takes no publishes until an operator clears it." }),
    reason: Type.Optional(Type.String()),
    bytes: byteCount,
    reserved_bytes: byteCount,
    bytes_max: Type.Union([byteCount, Type.Null()]),
    publishes: count,
    garbage: Type.Integer({ minimum: 0, description: "Folders that the node has yet to remove." }),
  },
  closed,
);
