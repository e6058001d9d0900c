/** The data of the refusals of files, by code. */
import Type from "typebox";
import type { TProperties } from "typebox";
import { holder } from "../grant.ts";

const open = { additionalProperties: true } as const;
const data = <Members extends TProperties>(members: Members) => Type.Object(members, open);
const text = Type.String();
const number = Type.Number();
const need = { path: text, mode: text, scope: text };
const rootAndReason = data({ root: text, reason: Type.Optional(text) });

export const filesProblemData = {
  "files.off": data({ toggle: text }),
  "files.publish_unknown": data({ id: text }),
  "files.publishes_full": data({ root: text, limit: number, retry_after_ms: number }),
  "files.version_conflict": data({ target: text, expected: number, current: number }),
  "files.version_unknown": data({ target: text, version: Type.Optional(number) }),
  "files.version_pinned": data({ target: text, version: number, until: text }),
  "files.pins_full": data({ target: text, version: number, limit: number, retry_after_ms: number }),
  "files.lock_required": data({
    missing: Type.Array(data({ ...need, holders: Type.Array(holder) })),
    acquire: Type.Array(data(need)),
  }),
  "files.file_unknown": data({ target: text, version: number, path: text }),
  "files.meta_too_large": data({ limit: number }),
  "files.name_invalid": data({ name: text, reason: text }),
  "files.name_taken": data({ name: text }),
  "files.upload_offset": data({ path: text, offset: number, expected: number }),
  "files.part_late": data({ path: text, offset: number, limit_ms: number }),
  "files.written_in_place": data({ id: text }),
  "files.folder_invalid": data({ name: text, reason: text }),
  "files.digest_mismatch": data({ path: text, expected: text, received: text }),
  "files.too_large": data({ path: text, limit: number }),
  "files.too_many": data({ limit: number }),
  "files.root_unknown": data({ root: Type.Optional(text), roots: Type.Array(text) }),
  "files.root_ambiguous": data({ roots: Type.Array(text) }),
  "files.root_elsewhere": data({ root: text, node: text, url: Type.Optional(text) }),
  "files.root_degraded": rootAndReason,
  "files.root_unavailable": data({ reason: text, retry_after_ms: number }),
  "files.root_mismatch": data({ root: text }),
  "files.other_device": data({ root: text }),
  "files.storage_full": rootAndReason,
  "files.storage_busy": data({ root: text, reason: text, retry_after_ms: Type.Optional(number) }),
  "files.quota_exceeded": data({ quota: text, bytes_max: number, used: number }),
  "files.quotas_full": data({ limit: number }),
  "files.damaged": data({ target: text, path: text }),
};
