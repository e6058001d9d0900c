/**
 * Keeps a data folder private. A user of the host that can read the journal reads every entity, past all tokens. A folder
 * that existed before may be open to others: made by `mkdir`, mounted as a volume, or unpacked from an archive.
 *
 * The owner's folder is repaired, with a warning. A folder of another user is refused, because its owner decides. Windows has
 * no such bits; there the rights of the folder protect its files.
 */
import { chmodSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

interface FolderRepair {
  /** Paths on which other users had rights, which are removed. */
  readonly repaired: readonly string[];
  /** Why the folder must not be used, and what to do; undefined if it is private. */
  readonly refusal: string | undefined;
}

/** The rights of the group and of others. */
const sharedBits = 0o077;

/** Files that Holdfast writes. `operator-token` is not repaired: an exposed token may be known, so the start is refused. */
const ownFile =
  /^(?:journal|index|checkpoint|checkpoint-copy|owner)\.db(?:-wal|-shm|-journal)?$|^(?:owner|server)\.json|^identity|^port$|^holdfast\.log/u;

/** Names in a folder that is or becomes a data folder. `lost+found` is in the root of a new volume. */
const expectedName =
  /^(?:\.gitignore|agents|archive|audit|files|holdfast\.json|operator-token|operator\.sock|lost\+found)$/u;

export function keepPrivate(folder: string): FolderRepair {
  if (process.platform === "win32") return { repaired: [], refusal: undefined };
  const repaired: string[] = [];
  // The folder comes first. After that, no other user can replace a file in it by a link.
  for (const path of pathsOf(folder)) {
    const refusal = repair(path, repaired, path === folder ? strangerIn(folder) : undefined);
    if (refusal !== undefined) return { repaired, refusal };
  }
  return { repaired, refusal: undefined };
}

/** The warning about repaired paths. */
export function repairWarning(folder: string, { repaired }: Pick<FolderRepair, "repaired">): string {
  const files = repaired.length === 1 ? String(repaired[0]) : `${String(repaired.length)} paths in ${folder}`;
  return (
    `other users of this host could read or write ${files}; their rights are removed (chmod go=). ` +
    "Run `holdfast verify` if you do not trust them"
  );
}

/** The paths are listed only when the ones before them are private. */
function* pathsOf(folder: string): Generator<string> {
  yield folder;
  const archive = join(folder, "archive");
  const files = namesIn(folder).filter((name) => ownFile.test(name));
  // A link may lead anywhere, so it is not touched. The open that follows refuses it.
  yield* files.map((name) => join(folder, name)).filter((path) => !isLink(path));
  if (isLink(archive)) return;
  yield archive;
  yield* namesIn(archive)
    .map((name) => join(archive, name))
    .filter((path) => !isLink(path));
}

/** `stranger` is a file that Holdfast did not write. A folder such as /tmp must keep its rights. */
function repair(path: string, repaired: string[], stranger: string | undefined): string | undefined {
  const target = statSync(path, { throwIfNoEntry: false });
  if (target === undefined || (target.mode & sharedBits) === 0) return undefined;
  const obstacle = obstacleTo({ isLinked: isLink(path), owner: target.uid, stranger });
  if (obstacle !== undefined) {
    return (
      `other users of this host can read or write ${path}, which ${obstacle}: ` +
      `run \`chmod -R go= ${path}\` as its owner, or choose a folder of its own with --data`
    );
  }
  chmodSync(path, target.mode & 0o700);
  repaired.push(path);
  return undefined;
}

interface PathOwner {
  readonly isLinked: boolean;
  readonly owner: number;
  readonly stranger: string | undefined;
}

/** Why the rights of a path are not changed. */
function obstacleTo({ isLinked, owner, stranger }: PathOwner): string | undefined {
  if (owner !== process.getuid?.()) return `belongs to user ${String(owner)}`;
  if (isLinked) return "is a symbolic link";
  return stranger === undefined ? undefined : `also holds other files, such as ${JSON.stringify(stranger)}`;
}

/** A file that shows that the folder was not made for Holdfast; undefined in a data folder and in an empty folder. */
function strangerIn(folder: string): string | undefined {
  const names = namesIn(folder);
  if (names.includes("journal.db") || names.includes("operator-token")) return undefined;
  return names.find((name) => !ownFile.test(name) && !expectedName.test(name));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A missing or unreadable folder is reported by the call that opens its files.
    return [];
  }
}
