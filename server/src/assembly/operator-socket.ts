/** Chooses the path of the operator's socket, and removes what a crashed server left there. */
import { lstatSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { StartError } from "../base/start-error.ts";

/** Maximum bytes of the path of a Unix socket that every supported system accepts. */
const pathBytesMax = 100;
const socketName = "operator.sock";
const folderPrefix = "holdfast-";

interface OperatorSocket {
  readonly server: Server;
  /** The path, if the socket is not in the data folder. */
  readonly elsewhere?: string;
  /** Removes the folder of a socket that is elsewhere. */
  remove(): void;
}

/**
 * Listens on the operator's socket of a data folder. If its path is too long, or the file system has no sockets, it is
 * in a new temporary folder. Only this user can enter that folder. Windows has no such sockets.
 */
export async function openOperatorSocket(
  folder: string,
  listen: (path: string) => Promise<Server>,
): Promise<OperatorSocket | undefined> {
  if (process.platform === "win32") return undefined;
  removeAbandonedFolder(folder);
  const path = join(resolve(folder), socketName);
  await removeStaleSocket(path);
  if (Buffer.byteLength(path) <= pathBytesMax) {
    const server = await listen(path).catch(() => undefined);
    if (server !== undefined) return { server, remove: () => undefined };
  }
  return listenElsewhere(listen);
}

async function listenElsewhere(listen: (path: string) => Promise<Server>): Promise<OperatorSocket> {
  const base = [tmpdir(), "/tmp"].find((each) => Buffer.byteLength(elsewhereIn(each)) <= pathBytesMax) ?? "/tmp";
  const own = mkdtempSync(join(base, folderPrefix));
  const remove = (): void => {
    rmSync(own, { recursive: true, force: true });
  };
  try {
    const elsewhere = join(own, socketName);
    return { server: await listen(elsewhere), elsewhere, remove };
  } catch (error) {
    remove();
    throw new StartError(
      `the operator's socket cannot be created in ${own} (${(error as Error).message}): ` +
        "set TMPDIR to a folder of a file system with Unix sockets",
    );
  }
}

function elsewhereIn(base: string): string {
  return join(base, `${folderPrefix}XXXXXX`, socketName);
}

/** A crashed server leaves its socket. Only a socket on which no process listens is removed. */
async function removeStaleSocket(path: string): Promise<void> {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined) return;
  if (!status.isSocket()) {
    throw new StartError(`${path} is not a socket, and the operator's socket must be there: move it elsewhere`);
  }
  if (await isListening(path)) {
    throw new StartError(`another process listens on ${path}: stop it, or use another data folder with --data`);
  }
  rmSync(path, { force: true });
}

function isListening(path: string): Promise<boolean> {
  return new Promise((settle) => {
    const probe = connect({ path });
    probe.once("connect", () => {
      probe.destroy();
      settle(true);
    });
    probe.once("error", () => {
      settle(false);
    });
  });
}

/** The folder for the socket of a crashed server, which its address file names. It is removed only if it is as made. */
function removeAbandonedFolder(folder: string): void {
  try {
    const note = JSON.parse(readFileSync(join(folder, "server.json"), "utf8")) as { operator_socket?: unknown };
    const { operator_socket: path } = note;
    if (typeof path !== "string" || basename(path) !== socketName) return;
    const own = dirname(path);
    if (!/^holdfast-[a-zA-Z0-9]{6}$/u.test(basename(own)) || !lstatSync(path).isSocket()) return;
    if (lstatSync(own).uid !== process.getuid?.()) return;
    rmSync(path);
    // Fails if anything else is in it, and then it stays.
    rmdirSync(own);
  } catch {
    // There is nothing to remove, or it is not ours.
  }
}
