/**
 * A file that decides what a command does: settings, or code of kinds. Another user that can write it could act with the
 * rights of this user.
 */
import { statSync } from "node:fs";

/**
 * The reason not to use the file, and the next step. Undefined if only this user and root can write it, or if it is
 * missing.
 */
export function trustFault(file: string): string | undefined {
  // Windows has no such bits. There the rights of the folder protect the file.
  if (process.platform === "win32") return undefined;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const user = process.getuid?.();
  if (found.uid !== user && found.uid !== 0) {
    return `${file} belongs to user ${String(found.uid)}, not to user ${String(user)} or root: run \`chown ${String(user)} ${file}\` if you trust its content`;
  }
  // Many systems give each user a group of the same number, and files that this group can write. Only the user is in it.
  const foreignBits = found.gid === found.uid ? 0o002 : 0o022;
  if ((found.mode & foreignBits) === 0) return undefined;
  return `${file} is writable by other users: check its content, then run \`chmod go-w ${file}\``;
}
