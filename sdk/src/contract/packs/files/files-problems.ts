import type { Problem } from "../../problem.ts";

const publishProblems = {
  "files.publish_unknown": {
    status: 404,
    retry: "never",
    title: "No such publish",
    next: "It was committed, aborted or ended by its timeout or a restart of its node. `files.get` shows the current version.",
  },
  "files.publishes_full": {
    status: 429,
    retry: "later",
    title: "The storage root has the maximum number of publishes",
    next: "Send the request again later. `limit` is the maximum.",
  },
  "files.version_conflict": {
    status: 409,
    retry: "new-key-after-read",
    title: "Another version is current",
    next: "Read `current`, the current version, and decide again.",
  },
  "files.version_unknown": {
    status: 404,
    retry: "never",
    title: "No such version",
    next: "The target was never published, or the version was removed. `files.list-versions` shows those that are.",
  },
  "files.version_pinned": {
    status: 409,
    retry: "new-key-after-read",
    title: "A reader has pinned a version",
    next: "Send the request again after `until`.",
  },
  "files.pins_full": {
    status: 429,
    retry: "later",
    title: "Too many readers keep this version",
    next: "Send the request again later. `limit` is the maximum.",
  },
  "files.lock_required": {
    status: 423,
    retry: "new-key-after-read",
    title: "Files of a project, map or sketch are read under its lock",
    next: "Acquire `acquire` with acquire-lock, and send its fence as `fence`. `missing` names the holders.",
    reveals: [
      { member: "missing", id: "path", isPath: true },
      { member: "acquire", id: "path", isPath: true },
    ],
  },
  "files.file_unknown": {
    status: 404,
    retry: "never",
    title: "The version has no such file",
    next: "`files.list` shows the files of the version.",
  },
  "files.meta_too_large": {
    status: 413,
    retry: "never",
    title: "The data about the version is too large",
    next: "Put it into a file. `limit` is the maximum in bytes of JSON.",
  },
} as const satisfies Record<string, Problem>;

const uploadProblems = {
  "files.name_invalid": {
    status: 422,
    retry: "never",
    title: "A file cannot have this path",
    next: "See `reason`.",
  },
  "files.name_taken": {
    status: 409,
    retry: "never",
    title: "Another file or folder of the publish has this name",
    next: "Names must differ in more than upper and lower case, and a file cannot be a folder too.",
  },
  "files.upload_offset": {
    status: 409,
    retry: "never",
    title: "The part does not continue the file",
    next: "Send the part at `expected`, the size that the file has.",
  },
  "files.part_late": {
    status: 408,
    retry: "never",
    title: "The part did not arrive within the timeout",
    next: "No byte of this part was kept. Send smaller parts, from `offset` on. `limit_ms` is the timeout of a part.",
  },
  "files.written_in_place": {
    status: 409,
    retry: "never",
    title: "The publisher writes the files of this publish itself",
    next: "Write them into the folder of the publish, or open a publish without `in_place`.",
  },
  "files.folder_invalid": {
    status: 422,
    retry: "never",
    title: "The folder of the publish has something that cannot be published",
    next: "See `name` and `reason`. The publish has ended. Only regular files with one name are accepted.",
  },
  "files.digest_mismatch": {
    status: 422,
    retry: "never",
    title: "The part was damaged in transit",
    next: "Send the part again.",
  },
  "files.too_large": {
    status: 413,
    retry: "never",
    title: "The file or the publish is too large",
    next: "`limit` is the maximum in bytes: `bytes_max` of the publish, or the setting `file_bytes_max`.",
  },
  "files.too_many": {
    status: 413,
    retry: "never",
    title: "The publish has the maximum number of files",
    next: "Publish fewer files, or several targets. `limit` is the maximum.",
  },
} as const satisfies Record<string, Problem>;

const rootProblems = {
  "files.root_unknown": {
    status: 404,
    retry: "never",
    title: "No such storage root",
    next: "`files.list-roots` shows the roots. A node announces those of its setting `storage_roots`.",
  },
  "files.root_ambiguous": {
    status: 422,
    retry: "never",
    title: "There are several storage roots",
    next: "Send one of `roots` as `root`.",
  },
  "files.root_elsewhere": {
    status: 421,
    retry: "never",
    title: "Another node has the storage root",
    next: "Send the request to `node`, at `url`. The client does so if `url` is one of its own addresses.",
  },
  "files.root_degraded": {
    status: 503,
    retry: "never",
    title: "The storage root could not keep bytes",
    next: "An operator examines its disk and then sends `files.clear-root`. Published versions can be read.",
  },
  "files.root_unavailable": {
    status: 503,
    retry: "later",
    title: "The storage root of this node cannot be opened",
    next: "See `reason`, and the log of the node.",
  },
  "files.root_mismatch": {
    status: 409,
    retry: "never",
    title: "The folder is not the storage root of this name",
    next: "Mount the right folder. If it is lost, an operator sends `files.clear-root` with `forget_id`.",
  },
  "files.other_device": {
    status: 409,
    retry: "never",
    title: "The folder of the publish is on another device than its target",
    next: "Mount nothing inside a storage root.",
  },
  "files.storage_full": {
    status: 507,
    retry: "never",
    title: "The disk of the storage root is full",
    next: "Free space on the disk, and publish again. The publish has ended.",
  },
  "files.storage_busy": {
    status: 503,
    retry: "later",
    title: "The node has no free handles",
    next: "Send the request again later.",
  },
  "files.quota_exceeded": {
    status: 507,
    retry: "never",
    title: "The quota would be exceeded",
    next: "`quota` names it. Send a smaller `bytes_max`, delete targets, or ask an operator for a larger quota.",
  },
  "files.quotas_full": {
    status: 409,
    retry: "never",
    title: "There are too many quotas",
    next: "Remove quotas by sending null. `limit` is the maximum.",
  },
  "files.damaged": {
    status: 500,
    retry: "never",
    title: "A published file is missing or damaged",
    next: "Publish the target again, or restore the storage root from a backup.",
  },
} as const satisfies Record<string, Problem>;

export const filesProblems = { ...publishProblems, ...uploadProblems, ...rootProblems };
