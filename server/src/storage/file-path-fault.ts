/** The names of targets and of files in a version. */

/** Names of folders in a target that the storage itself uses. */
export const stagingName = "tmp";
export const versionPrefix = "v.";
export const manifestName = "MANIFEST";

const levelsMax = 16;
const nameBytesMax = 255;
const pathBytesMax = 1_024;
/** Characters that change the direction of text are refused too: a list would show another name than the file has. */
const controlCharacter = /[\p{Cc}\p{Bidi_Control}]/u;

/**
 * Describes why a text cannot be the path of a file in a version; undefined if it can. Any file system must be able to hold
 * the names, and a name must have one spelling.
 */
export function filePathFault(path: string): string | undefined {
  if (Buffer.byteLength(path) > pathBytesMax) return `the path has more than ${String(pathBytesMax)} bytes`;
  if (!path.isWellFormed()) return "the path is not well-formed Unicode";
  if (path !== path.normalize("NFC")) return "the path is not in the Unicode form NFC";
  const names = path.split("/");
  if (names.length > levelsMax) return `the path has more than ${String(levelsMax)} levels`;
  if (names[0]?.toLowerCase() === manifestName.toLowerCase()) return `${manifestName} is reserved`;
  for (const name of names) {
    if (name === "" || name === "." || name === "..") return "the path has an empty name, or one of dots";
    if (Buffer.byteLength(name) > nameBytesMax) return `a name has more than ${String(nameBytesMax)} bytes`;
    if (name.includes("\\") || controlCharacter.test(name)) return "a name has a backslash or a control character";
  }
  return undefined;
}

/** Equal for paths that some file systems take for the same: those that differ in upper and lower case only. */
export function twinKey(path: string): string {
  return path.toLowerCase().normalize("NFC");
}
