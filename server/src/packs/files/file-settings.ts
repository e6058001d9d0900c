import type { StateReader } from "../../machine/state.ts";
import { fileSettingsTable } from "./file-tables.ts";
import type { FileSettings } from "./file-tables.ts";

const defaults: FileSettings = { retention_seconds: 3_600, file_bytes_max: 1024 ** 3, files_max: 200_000 };

export function fileSettings(state: StateReader): FileSettings {
  return state.rows(fileSettingsTable).get("settings")?.settings ?? defaults;
}
