/** The folds of files. They store what the events say, and count bytes. */
import { isAtOrBelow } from "@holdfast/sdk/base/is-at-or-below";
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Fold } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { versionsOf } from "./find-version.ts";
import {
  fileLimits,
  fileSettingsTable,
  forgottenTable,
  garbageTable,
  publishTable,
  quotaTable,
  retiredTable,
  rootTable,
  targetTable,
  versionKey,
  versionTable,
} from "./file-tables.ts";
import type { FileSettings, PublishRow, VersionRow } from "./file-tables.ts";
import { countBytes } from "./quota.ts";

const targetOf = (subject: string): string => subject.slice("file/".length);

interface OpenedData extends Omit<PublishRow, "target" | "order" | "bytesMax" | "isInPlace"> {
  readonly bytes_max: number;
  readonly is_in_place?: boolean;
}

const opened: Fold = (state, { subject, data }, { position }) => {
  const { bytes_max: bytesMax, is_in_place: isInPlace, ...rest } = data as unknown as OpenedData;
  const target = targetOf(subject);
  state.rows(publishTable).put({ ...rest, ...defined({ isInPlace }), target, bytesMax, order: position });
  countBytes(state, { root: rest.root, target }, { reserved: bytesMax });
};

function endPublish(state: StateWriter, id: string): PublishRow | undefined {
  const row = state.rows(publishTable).get(id);
  if (row === undefined) return undefined;
  state.rows(publishTable).delete(id);
  countBytes(state, row, { reserved: -row.bytesMax });
  return row;
}

const aborted: Fold = (state, { data }) => {
  const row = endPublish(state, data["id"] as string);
  if (row === undefined) return;
  const { id, root, target } = row;
  state.rows(garbageTable).put({ id, root, target, bytes: 0 });
};

interface CommittedData extends Omit<VersionRow, "target" | "principal" | "time"> {
  readonly collect_at: number;
}

/** The version two before the new one has a time to be collected. The one before it stays. */
const committed: Fold = (state, { subject, data }, { principal, time }) => {
  const { id, version, root, files, bytes, digest, meta, collect_at: collectAt } = data as unknown as CommittedData;
  const target = targetOf(subject);
  endPublish(state, id);
  const row = defined({ id, version, root, files, bytes, digest, meta, target, principal, time });
  state.rows(versionTable).put(row);
  countBytes(state, { root, target }, { bytes });
  const kept = (state.rows(targetTable).get(target)?.kept ?? 0) + 1;
  state.rows(targetTable).put({ target, version, kept });
  state.rows(retiredTable).delete(target);
  const old = state.rows(versionTable).get(versionKey(target, version - 2));
  if (old !== undefined) state.rows(versionTable).put({ ...old, collectAt });
};

interface PinData {
  readonly version: number;
  readonly owner: string;
  readonly until?: number;
}

/** Without `until` the pin ends. Expired pins are removed from the row too. */
const pinned: Fold = (state, { subject, data }, { time }) => {
  const { version, owner, until } = data as unknown as PinData;
  const row = state.rows(versionTable).get(versionKey(targetOf(subject), version));
  if (row === undefined) return;
  const { pins = [], ...rest } = row;
  const others = pins.filter((pin) => pin.owner !== owner && pin.until > time);
  const left = until === undefined ? others : [...others, { owner, until }];
  const sorted = left.toSorted((one, other) => (one.owner < other.owner ? -1 : 1));
  state.rows(versionTable).put(sorted.length === 0 ? rest : { ...rest, pins: sorted });
};

function discard(state: StateWriter, { target, version, id, root, bytes }: VersionRow): void {
  state.rows(versionTable).delete(versionKey(target, version));
  state.rows(garbageTable).put({ id, root, target, bytes });
}

const collected: Fold = (state, { subject, data }) => {
  const target = targetOf(subject);
  const row = state.rows(versionTable).get(versionKey(target, data["version"] as number));
  if (row === undefined) return;
  discard(state, row);
  const known = state.rows(targetTable).get(target);
  if (known !== undefined) state.rows(targetTable).put({ ...known, kept: known.kept - 1 });
};

const deleted: Fold = (state, { subject }, { position }) => {
  const target = targetOf(subject);
  for (const row of versionsOf(state, target)) discard(state, row);
  const { version = 0 } = state.rows(targetTable).get(target) ?? {};
  state.rows(targetTable).delete(target);
  state.rows(retiredTable).put({ target, version, order: position });
  forgetOldest(state);
};

function forgetOldest(state: StateWriter): void {
  const rows = state.rows(retiredTable);
  if (rows.size <= fileLimits.retiredMax) return;
  const [oldest] = rows.scan("order", { limit: 1 });
  if (oldest === undefined) return;
  rows.delete(oldest.target);
  const { version = 0 } = state.rows(forgottenTable).get("forgotten") ?? {};
  state.rows(forgottenTable).put({ key: "forgotten", version: Math.max(version, oldest.version) });
}

const removed: Fold = (state, { data }) => {
  for (const id of data["ids"] as readonly string[]) {
    const row = state.rows(garbageTable).get(id);
    if (row === undefined) continue;
    state.rows(garbageTable).delete(id);
    countBytes(state, row, { bytes: -row.bytes });
  }
};

interface AnnouncedData {
  readonly root: string;
  readonly root_id: string;
  readonly session: string;
  readonly node: string;
  readonly url?: string;
}

const announced: Fold = (state, { data }) => {
  const { root, root_id: rootId, session, node, url } = data as unknown as AnnouncedData;
  const { url: _before, ...known } = state.rows(rootTable).get(root) ?? { root, bytes: 0, reserved: 0 };
  state.rows(rootTable).put({ ...known, rootId, session, node, ...defined({ url }) });
};

const degraded: Fold = (state, { data }) => {
  const { root, reason } = data as { readonly root: string; readonly reason: string };
  const row = state.rows(rootTable).get(root);
  if (row !== undefined) state.rows(rootTable).put({ ...row, degraded: reason });
};

const cleared: Fold = (state, { data }) => {
  const { root, forget_id: forgetsId } = data as { readonly root: string; readonly forget_id?: boolean };
  const row = state.rows(rootTable).get(root);
  if (row === undefined) return;
  const { degraded: _degraded, rootId, ...rest } = row;
  const id = forgetsId === true || rootId === undefined ? {} : { rootId };
  state.rows(rootTable).put({ ...rest, ...id });
};

type Quotas = Readonly<Record<string, number | null>>;

/** A new quota counts what is there. Only operators add some, so the scan is rare. */
const configured: Fold = (state, { data }) => {
  const { settings, quotas, root_quotas: rootQuotas } = data as JsonObject & { quotas: Quotas; root_quotas: Quotas };
  state.rows(fileSettingsTable).put({ key: "settings", settings: settings as FileSettings });
  for (const [root, max] of Object.entries(rootQuotas)) {
    const { bytesMax: _old, ...row } = state.rows(rootTable).get(root) ?? {};
    if ("root" in row) state.rows(rootTable).put(max === null ? row : { ...row, bytesMax: max });
  }
  for (const [under, bytesMax] of Object.entries(quotas)) {
    if (bytesMax === null) state.rows(quotaTable).delete(under);
    else state.rows(quotaTable).put({ ...usageUnder(state, under), under, bytesMax });
  }
};

function usageUnder(state: StateWriter, under: string): { readonly bytes: number; readonly reserved: number } {
  const range = { limit: Infinity };
  const isUnder = ({ target }: { readonly target: string }): boolean => isAtOrBelow(target, under);
  const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0);
  const stored = [...state.rows(versionTable).scan("target", range), ...state.rows(garbageTable).scan("root", range)];
  const running = state.rows(publishTable).scan("order", range);
  return {
    bytes: sum(stored.filter(isUnder).map(({ bytes }) => bytes)),
    reserved: sum(running.filter(isUnder).map(({ bytesMax }) => bytesMax)),
  };
}

export const fileFolds: Readonly<Record<string, Fold>> = {
  "files.opened": opened,
  "files.aborted": aborted,
  "files.committed": committed,
  "files.pinned": pinned,
  "files.unpinned": pinned,
  "files.collected": collected,
  "files.deleted": deleted,
  "files.removed": removed,
  "files.root_announced": announced,
  "files.root_degraded": degraded,
  "files.root_cleared": cleared,
  "files.configured": configured,
};
