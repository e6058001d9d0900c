// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { Static } from "typebox";
import type { filesProblemData } from "../../contract/packs/files-problem-data.ts";
import { problemGuard } from "../problem-guard.ts";
import type { ProblemGuard } from "../problem-guard.ts";
import type { ClientForm } from "./client-form.ts";

type Data = typeof filesProblemData;
type Guard<Code extends keyof Data> = ProblemGuard<Code, ClientForm<Static<Data[Code]>>>;

export const isFilesOff: Guard<"files.off"> = /* @__PURE__ */ problemGuard("files.off");
export const isFilesPublishUnknown: Guard<"files.publish_unknown"> = /* @__PURE__ */ problemGuard("files.publish_unknown");
export const isFilesPublishesFull: Guard<"files.publishes_full"> = /* @__PURE__ */ problemGuard("files.publishes_full");
export const isFilesVersionConflict: Guard<"files.version_conflict"> = /* @__PURE__ */ problemGuard("files.version_conflict");
export const isFilesVersionUnknown: Guard<"files.version_unknown"> = /* @__PURE__ */ problemGuard("files.version_unknown");
export const isFilesVersionPinned: Guard<"files.version_pinned"> = /* @__PURE__ */ problemGuard("files.version_pinned");
export const isFilesLockRequired: Guard<"files.lock_required"> = /* @__PURE__ */ problemGuard("files.lock_required");
export const isFilesFileUnknown: Guard<"files.file_unknown"> = /* @__PURE__ */ problemGuard("files.file_unknown");
export const isFilesMetaTooLarge: Guard<"files.meta_too_large"> = /* @__PURE__ */ problemGuard("files.meta_too_large");
export const isFilesNameInvalid: Guard<"files.name_invalid"> = /* @__PURE__ */ problemGuard("files.name_invalid");
export const isFilesNameTaken: Guard<"files.name_taken"> = /* @__PURE__ */ problemGuard("files.name_taken");
export const isFilesUploadOffset: Guard<"files.upload_offset"> = /* @__PURE__ */ problemGuard("files.upload_offset");
export const isFilesWrittenInPlace: Guard<"files.written_in_place"> = /* @__PURE__ */ problemGuard("files.written_in_place");
export const isFilesFolderInvalid: Guard<"files.folder_invalid"> = /* @__PURE__ */ problemGuard("files.folder_invalid");
export const isFilesDigestMismatch: Guard<"files.digest_mismatch"> = /* @__PURE__ */ problemGuard("files.digest_mismatch");
export const isFilesTooLarge: Guard<"files.too_large"> = /* @__PURE__ */ problemGuard("files.too_large");
export const isFilesTooMany: Guard<"files.too_many"> = /* @__PURE__ */ problemGuard("files.too_many");
export const isFilesRootUnknown: Guard<"files.root_unknown"> = /* @__PURE__ */ problemGuard("files.root_unknown");
export const isFilesRootAmbiguous: Guard<"files.root_ambiguous"> = /* @__PURE__ */ problemGuard("files.root_ambiguous");
export const isFilesRootElsewhere: Guard<"files.root_elsewhere"> = /* @__PURE__ */ problemGuard("files.root_elsewhere");
export const isFilesRootDegraded: Guard<"files.root_degraded"> = /* @__PURE__ */ problemGuard("files.root_degraded");
export const isFilesRootUnavailable: Guard<"files.root_unavailable"> = /* @__PURE__ */ problemGuard("files.root_unavailable");
export const isFilesRootMismatch: Guard<"files.root_mismatch"> = /* @__PURE__ */ problemGuard("files.root_mismatch");
export const isFilesOtherDevice: Guard<"files.other_device"> = /* @__PURE__ */ problemGuard("files.other_device");
export const isFilesStorageFull: Guard<"files.storage_full"> = /* @__PURE__ */ problemGuard("files.storage_full");
export const isFilesStorageBusy: Guard<"files.storage_busy"> = /* @__PURE__ */ problemGuard("files.storage_busy");
export const isFilesQuotaExceeded: Guard<"files.quota_exceeded"> = /* @__PURE__ */ problemGuard("files.quota_exceeded");
export const isFilesQuotasFull: Guard<"files.quotas_full"> = /* @__PURE__ */ problemGuard("files.quotas_full");
export const isFilesDamaged: Guard<"files.damaged"> = /* @__PURE__ */ problemGuard("files.damaged");
