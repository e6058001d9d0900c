/**
 * Reads the address file of a data folder. Its content is hostile until proven: a repository or an archive may contain a
 * `.holdfast`, and another user may create one above the working directory. So the file counts only if this user or root
 * made it and no other user can change it. A file that does not pass stops the search with an error. A search that
 * silently continued would choose another server than the one the user expects.
 */
import { defined } from "../../base/defined.ts";
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import type { Stats } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { ServerNote } from "../environment/environment.ts";

/** Maximum bytes of an address file. A server writes about 200. */
const noteBytesMax = 4_096;
/** Maximum id of a process on any supported system. */
const pidMax = 2 ** 31 - 1;

const socketName = "operator.sock";

/** The notes of a folder that the user named, and of a `.holdfast` that the search found. */
export const serverNote = { named: readNamedNote, found: readFoundNote } as const;

/** A link to the folder is the user's own choice. */
function readNamedNote(folder: string): ServerNote | undefined {
  const target = statusOf(() => realpathSync(folder));
  return target === undefined ? undefined : readNote(folder, target);
}

function readFoundNote(folder: string): ServerNote | undefined {
  const status = statusOf(() => lstatSync(folder));
  if (status === undefined) return undefined;
  if (!status.isSymbolicLink()) return readNote(folder, folder);
  const target = statusOf(() => statSync(join(folder, "server.json")));
  if (target === undefined) return undefined;
  throw unusable(folder, "it is a symbolic link. Name the data folder itself with --data or HOLDFAST_DATA");
}

/** `folder` is the path for messages, and `at` the folder without links. */
function readNote(folder: string, at: string): ServerNote | undefined {
  const status = statusOf(() => lstatSync(at));
  const file = join(folder, "server.json");
  const opened = openNote(join(at, "server.json"), file);
  if (status === undefined || opened === undefined) return undefined;
  // Before anything is read: what another user can change says nothing.
  const fault = faultOf(folder, status);
  if (opened === "unreadable") {
    if (fault === undefined) return undefined;
    throw fault;
  }
  try {
    if (fault !== undefined) throw fault;
    return noteOf(textOf(opened, file), { file, folder, at, user: fstatSync(opened).uid });
  } finally {
    closeSync(opened);
  }
}

/** The open file, without following a link and without waiting for a writer of a pipe. */
function openNote(path: string, file: string): number | "unreadable" | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") return "unreadable";
    if (code === "ELOOP" || code === "EMLINK") throw unusable(file, "it is a symbolic link. Delete it");
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unusable(file, `it cannot be opened (${code ?? String(error)})`);
  }
}

function textOf(descriptor: number, file: string): string {
  const status = fstatSync(descriptor);
  if (!status.isFile()) throw unusable(file, "it is not a regular file. Delete it");
  const fault = faultOf(file, status);
  if (fault !== undefined) throw fault;
  const bytes = Buffer.alloc(noteBytesMax + 1);
  const count = readSync(descriptor, bytes, 0, bytes.length, 0);
  if (count > noteBytesMax) throw unusable(file, `it has more than ${noteBytesMax} bytes. Delete it`);
  return bytes.toString("utf8", 0, count);
}

interface NotePlace {
  readonly file: string;
  readonly folder: string;
  readonly at: string;
  /** The user of the file, which is that of the server. */
  readonly user: number;
}

function noteOf(text: string, { file, folder, at, user }: NotePlace): ServerNote {
  const { url, pid, operator_socket: elsewhere } = membersOf(text);
  const address = typeof url === "string" && /^https?:\/\//u.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  const isPid = typeof pid === "number" && Number.isInteger(pid) && pid >= 1 && pid <= pidMax;
  if (address === undefined || !isPid) throw unusable(file, "a server did not write it like this. Delete it");
  const operatorSocket = operatorSocketOf(elsewhere, { file, at });
  return {
    // The origin alone: a comma in the path would be read as a second address.
    url: address.origin,
    folder,
    pid,
    isRunning: isRunning(pid, user),
    ...defined({ operatorSocket, foreignHost: isThisHost(address.hostname) ? undefined : address.hostname }),
  };
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

/** The operator's socket: in the folder, or in a folder of its own if the path would be too long. */
function operatorSocketOf(elsewhere: unknown, { file, at }: Pick<NotePlace, "file" | "at">): string | undefined {
  const path = elsewhere ?? join(at, socketName);
  // Only the name that a server chooses. Any other socket of this user belongs to another program.
  const isOwn = typeof path === "string" && isAbsolute(path) && basename(path) === socketName;
  if (!isOwn || (elsewhere !== undefined && !/^holdfast-[a-zA-Z0-9]{6}$/u.test(basename(dirname(path))))) {
    throw unusable(file, "operator_socket is not a path that a server chooses. Delete the file");
  }
  const status = statusOf(() => lstatSync(path));
  if (status === undefined) return undefined;
  if (!status.isSocket()) throw unusable(path, "it is not a socket. Delete it and restart the server");
  const owned = isOwner(status) ? undefined : unusable(path, `it belongs to user ${status.uid}. Restart the server`);
  const fault = owned ?? faultOf(dirname(path), lstatSync(dirname(path)));
  if (fault !== undefined) throw fault;
  return path;
}

/** The reason not to trust a folder or a file: another user made it or can change it. */
function faultOf(path: string, status: Stats): TypeError | undefined {
  if (!isOwner(status)) return unusable(path, `it belongs to user ${status.uid}, not to you`);
  // Windows has no such bits. There the rights of the folder protect the file.
  if (process.platform === "win32" || (status.mode & 0o022) === 0) return undefined;
  return unusable(path, "other users can write to it. Run `chmod go-w` on it if you trust its content");
}

function isOwner({ uid }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0;
}

/** Numbers and short forms of an address are already normalised by the URL. */
function isThisHost(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.[0-9]{1,3}){3}$/u.test(hostname);
}

function statusOf<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function unusable(path: string, why: string): TypeError {
  return new TypeError(
    `${path} does not lead to a server: ${why}. Or give the address explicitly: --url, HOLDFAST_URL, connect(address).`,
  );
}

/**
 * Whether the process of the server still runs. Another user can start processes until one has the id of a crashed server, and
 * then use its port. So a process of another user is not the server.
 */
function isRunning(pid: number, user: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // It runs and belongs to another user, as that of a server of root does.
    if ((error as NodeJS.ErrnoException).code !== "EPERM" || user === process.getuid?.()) return false;
  }
  const found = statusOf(() => statSync(`/proc/${pid}`));
  // Only Linux shows the user there. The files of some processes belong to root, whichever user they have.
  return found === undefined || found.uid === user || found.uid === 0;
}
