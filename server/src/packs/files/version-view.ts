/** Versions, publishes and roots as reads show them. */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { iso } from "../../features/locks/tables/lock-events.ts";
import { gap } from "../../features/locks/tables/lock-tables.ts";
import type { StateReader } from "../../machine/state.ts";
import { collectTime, garbageTable, publishTable } from "./file-tables.ts";
import type { PublishRow, RootRow, VersionRow } from "./file-tables.ts";

export function versionView(row: VersionRow, current: number): JsonObject {
  const { target, version, root, files, bytes, digest, meta, principal, time } = row;
  const until = collectTime(row);
  return defined({
    target,
    version,
    is_current: version === current,
    root,
    files,
    bytes,
    digest,
    meta,
    published_by: principal,
    published_at: iso(time),
    kept_until: until === undefined ? undefined : iso(until),
  });
}

export function publishView({ id, target, root, bytesMax, principal, until }: PublishRow): JsonObject {
  return { id, target, root, bytes_max: bytesMax, opened_by: principal, expires_at: iso(until) };
}

/** Maximum publishes and folders of a root that a list counts. */
const countedMax = 10_000;

export function rootView(state: StateReader, row: RootRow, isHere: boolean): JsonObject {
  const { root, node, url, degraded, bytes, reserved, bytesMax = null } = row;
  const range = { prefix: `${root}${gap}`, limit: countedMax };
  return defined({
    root,
    node,
    url,
    is_here: isHere,
    is_degraded: degraded !== undefined,
    reason: degraded,
    bytes,
    reserved_bytes: reserved,
    bytes_max: bytesMax,
    publishes: state.rows(publishTable).scan("root", range).length,
    garbage: state.rows(garbageTable).scan("root", range).length,
  });
}
