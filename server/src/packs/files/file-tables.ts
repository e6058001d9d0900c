/** The tables of files. The bytes are on the disks of storage roots; a version is its row. */
import type { JsonObject } from "@holdfast/sdk/json/json";
import { bytesOfTexts } from "../../features/bytes-of-texts.ts";
import { gap, sortable } from "../../features/locks/tables/lock-tables.ts";
import type { TableSpec } from "../../machine/table.ts";

export interface RootRow {
  readonly root: string;
  /** The id in the root's folder. Undefined: the next folder that is announced is accepted. */
  readonly rootId?: string;
  /** Names one run of the node that has the root. Publishes of another session are over. */
  readonly session: string;
  readonly node: string;
  /** The address of the node for clients. */
  readonly url?: string;
  /** Why it takes no publishes. */
  readonly degraded?: string;
  readonly bytesMax?: number;
  /** Bytes of versions, until they leave the disk. */
  readonly bytes: number;
  /** Bytes that running publishes may still write. */
  readonly reserved: number;
}

export const rootTable: TableSpec<RootRow, "root"> = {
  name: "file-roots",
  boundedBy: "operators",
  key: (row) => row.root,
  sorts: { root: (row) => row.root },
};

/** A publish that has not ended. */
export interface PublishRow {
  readonly id: string;
  /** The order of their beginnings. */
  readonly order: number;
  readonly target: string;
  readonly root: string;
  readonly session: string;
  readonly principal: string;
  readonly fence: string;
  readonly bytesMax: number;
  readonly expected?: number;
  /** The publisher has the root, and writes the files itself. */
  readonly isInPlace?: boolean;
  readonly until: number;
}

export const publishTable: TableSpec<PublishRow, "until" | "root" | "order" | "target"> = {
  name: "file-publishes",
  boundedBy: "quota",
  key: (row) => row.id,
  sorts: {
    until: (row) => sortable(row.until),
    root: (row) => `${row.root}${gap}${sortable(row.order)}`,
    order: (row) => sortable(row.order),
    target: (row) => `${row.target}${gap}${row.id}`,
  },
  bytes: (row) => 400 + bytesOfTexts(row.target),
};

export interface TargetRow {
  readonly target: string;
  /** The current version. */
  readonly version: number;
  /** Number of versions that are kept. */
  readonly kept: number;
}

export const targetTable: TableSpec<TargetRow, "target"> = {
  name: "file-targets",
  boundedBy: "quota",
  key: (row) => row.target,
  sorts: { target: (row) => row.target },
  uniqueSorts: ["target"],
  bytes: (row) => 200 + bytesOfTexts(row.target),
};

/** The last version of a deleted target. A number names one content forever, also if the target is published again. */
interface RetiredRow {
  readonly target: string;
  readonly version: number;
  /** The order of the deletions. */
  readonly order: number;
}

/** The newest deletions, at most `retiredMax`. */
export const retiredTable: TableSpec<RetiredRow, "order"> = {
  name: "file-retired-targets",
  boundedBy: "quota",
  key: (row) => row.target,
  sorts: { order: (row) => `${sortable(row.order)}${gap}${row.target}` },
  bytes: (row) => 200 + bytesOfTexts(row.target),
};

/** The highest version of the deleted targets that `retiredTable` has forgotten. New targets start above it. */
export const forgottenTable: TableSpec<{ readonly key: "forgotten"; readonly version: number }, never> = {
  name: "file-forgotten-versions",
  boundedBy: "one",
  key: (row) => row.key,
  sorts: {},
};

export interface VersionRow {
  readonly target: string;
  readonly version: number;
  /** The id of its publish, which is the name of its folder. */
  readonly id: string;
  readonly root: string;
  readonly files: number;
  readonly bytes: number;
  readonly digest: string;
  readonly meta?: JsonObject;
  readonly principal: string;
  readonly time: number;
  /** The time at which a superseded version is collected. The version before the current one has none. */
  readonly collectAt?: number;
  /** The readers that keep it, sorted by their names. */
  readonly pins?: readonly VersionPin[];
}

/** A reader keeps a version until a time. */
interface VersionPin {
  readonly owner: string;
  readonly until: number;
}

export function versionKey(target: string, version: number): string {
  return `${target}${gap}${sortable(version)}`;
}

/** The time until which readers keep a version; 0 if there are none. */
export function pinnedUntil({ pins = [] }: VersionRow): number {
  return Math.max(0, ...pins.map(({ until }) => until));
}

/** The time at which a version is collected, later if a reader keeps it. */
export function collectTime(row: VersionRow): number | undefined {
  return row.collectAt === undefined ? undefined : Math.max(row.collectAt, pinnedUntil(row));
}

export const versionTable: TableSpec<VersionRow, "target" | "collect" | "root"> = {
  name: "file-versions",
  boundedBy: "quota",
  key: (row) => versionKey(row.target, row.version),
  sorts: {
    target: (row) => versionKey(row.target, row.version),
    collect: (row) => {
      const at = collectTime(row);
      return at === undefined ? undefined : sortable(at);
    },
    root: (row) => `${row.root}${gap}${row.id}`,
  },
  uniqueSorts: ["target"],
  bytes: ({ target, meta, pins = [] }) =>
    600 +
    bytesOfTexts(target, ...pins.map(({ owner }) => owner)) +
    (meta === undefined ? 0 : JSON.stringify(meta).length),
};

/** A folder that its node has yet to remove from the disk. */
export interface GarbageRow {
  readonly id: string;
  readonly root: string;
  readonly target: string;
  /** Bytes that the root counts until it is gone. */
  readonly bytes: number;
}

export const garbageTable: TableSpec<GarbageRow, "root"> = {
  name: "file-garbage",
  boundedBy: "quota",
  key: (row) => row.id,
  sorts: { root: (row) => `${row.root}${gap}${row.id}` },
};

/** The quota of all targets at or below a path. */
export interface QuotaRow {
  readonly under: string;
  readonly bytesMax: number;
  readonly bytes: number;
  readonly reserved: number;
}

export const quotaTable: TableSpec<QuotaRow, "under"> = {
  name: "file-quotas",
  boundedBy: "operators",
  key: (row) => row.under,
  sorts: { under: (row) => row.under },
};

interface FileSettingsRow {
  readonly key: "settings";
  readonly settings: FileSettings;
}

export interface FileSettings extends JsonObject {
  readonly retention_seconds: number;
  readonly file_bytes_max: number;
  readonly files_max: number;
}

export const fileSettingsTable: TableSpec<FileSettingsRow, never> = {
  name: "file-settings",
  boundedBy: "one",
  key: (row) => row.key,
  sorts: {},
};

export const fileLimits = {
  /** Maximum publishes of a root that have not ended. */
  publishesMax: 1_000,
  /** Maximum versions of a target that retention keeps. */
  versionsMax: 1_000,
  /** Maximum deleted targets whose last version is remembered one by one. */
  retiredMax: 10_000,
  /** Maximum readers that keep one version. */
  pinsMax: 100,
  quotasMax: 100,
  metaBytesMax: 4_096,
  defaultBytesMax: 1024 ** 3,
  defaultTimeoutSeconds: 3_600,
} as const;

export function fileSubject(target: string): string {
  return `file/${target}`;
}
