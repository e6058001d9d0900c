/**
 * MANIFEST is the list of the files of a version: one line of JSON for each, sorted by path. It is the last file of a
 * version that is written. Its digest is in the journal, so the journal vouches for every byte.
 */
import { createHash } from "node:crypto";

export interface ManifestFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Manifest {
  readonly files: readonly ManifestFile[];
  readonly byPath: ReadonlyMap<string, ManifestFile>;
}

/** The bytes of a manifest and their digest. */
export function writeManifest(files: readonly ManifestFile[]): { readonly bytes: Buffer; readonly digest: string } {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const lines = sorted.map(({ path, bytes, sha256 }) => `${JSON.stringify({ path, bytes, sha256 })}\n`);
  const bytes = Buffer.from(lines.join(""));
  return { bytes, digest: sha256Of(bytes) };
}

/** Reads a manifest. Bytes with another digest are damaged, and nothing of them is used. */
export function readManifest(bytes: Uint8Array, digest: string): Manifest | undefined {
  if (sha256Of(bytes) !== digest) return undefined;
  const lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString().split("\n").slice(0, -1);
  const files = lines.map(readLine);
  return { files, byPath: new Map(files.map((file) => [file.path, file])) };
}

/** A line of a folder from elsewhere may be anything. Its members are then undefined. */
function readLine(line: string): ManifestFile {
  try {
    return { ...(JSON.parse(line) as ManifestFile) };
  } catch {
    return {} as ManifestFile;
  }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
