import { fileSettings } from "../../../packs/files/file-settings.ts";
import type { PublishLimits } from "../../../storage/publish-limits.ts";
import type { EngineServices } from "../../engine-services.ts";

/** The limits of a publish. Its own are those of its row, the others are settings. */
export async function fileLimitsOf(
  { engine }: EngineServices,
  { bytesMax }: { readonly bytesMax: number },
): Promise<PublishLimits> {
  const { file_bytes_max: fileBytesMax, files_max: filesMax } = await engine.read(fileSettings);
  return { bytesMax, fileBytesMax, filesMax };
}
