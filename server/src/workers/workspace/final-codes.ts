/**
 * The refusals that end a job of the workspace at once: each attempt would get the same one. All others are tried again, among
 * them those after which an operator may free a disk, or a restarted node may accept the publish.
 */
export const finalCodes: ReadonlySet<string> = new Set([
  // The input of the job, or of its upload.
  "input_malformed",
  "input_invalid",
  "value_too_large",
  "body_too_large",
  "path_invalid",
  "workspace.geometry_invalid",
  "workspace.too_many",
  "files.name_invalid",
  "files.name_taken",
  "files.folder_invalid",
  "files.too_large",
  "files.too_many",
  "files.meta_too_large",
  // The rights of the worker and of its job.
  "not_allowed",
  "workspace.role_missing",
  "workspace.job_required",
  // The records and files that are gone.
  "entity_not_found",
  "entity_deleted",
  "workspace.parent_not_found",
  "files.version_unknown",
  "files.file_unknown",
  "files.root_unknown",
  "files.damaged",
]);
