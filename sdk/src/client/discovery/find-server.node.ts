/**
 * Finds the server of a program, and decides whether it may get a token. The client and the command line use this
 * module. So both find the same server in the same environment and trust it for the same reasons.
 */
import { environmentOf } from "#environment";
import { startHint } from "../../base/start-hint.ts";
import { HoldfastError } from "../holdfast-error.ts";
import { defaultUrl, addressTexts, parseAddresses } from "../transport/address.ts";
import type { ConnectTarget } from "../transport/address.ts";
import type { ServerNote, Surroundings } from "../environment/environment.ts";
import type { FoundServer } from "./found-server.ts";

/** The server of last resort. */
export const defaultServer: FoundServer = { url: defaultUrl, from: "the default address", isNamed: false };

/**
 * The server of HOLDFAST_URL, else of the data folder in HOLDFAST_DATA, else of the nearest `.holdfast` upwards from
 * the working directory. Undefined if there is no data folder. A data folder without a running server is an error with
 * the code `unreachable`: a server at another address belongs to another project.
 */
export function findServer(surroundings?: Partial<Surroundings>): FoundServer | undefined {
  const url = environmentOf(surroundings).variable("HOLDFAST_URL");
  if (url !== undefined) return serverAt(url, "HOLDFAST_URL");
  const found = folderOf(undefined, surroundings);
  return found === undefined ? undefined : serverOn(found);
}

/** The server at a given address. */
export function serverAt(target: ConnectTarget, from: string): FoundServer {
  return { url: addressTexts(parseAddresses(target, from)).join(","), from, isNamed: true };
}

/** The server that runs on a data folder that the user named. */
export function findServerOn(folder: string, from: string, surroundings?: Partial<Surroundings>): FoundServer {
  return serverOn(folderOf({ folder, from }, surroundings));
}

/**
 * The server behind the operator's socket of a data folder: of the named one, else of the one that `findServer` uses.
 * Only the user of the folder, or root, can listen there, so this server may get the token of the folder. Undefined if
 * there is no such socket.
 */
export function findOperatorServer(
  named: NamedFolder | undefined,
  surroundings?: Partial<Surroundings>,
): FoundServer | undefined {
  const found = folderOf(named, surroundings);
  const operatorSocket = found?.note?.operatorSocket;
  if (found === undefined || operatorSocket === undefined) return undefined;
  const { folder, from, isNamed } = found;
  return { url: `unix:${encodeURI(operatorSocket)}`, from: `${from} (${folder})`, isNamed, folder, operatorSocket };
}

/** The reason not to send a token to a server; undefined if there is none. */
export function tokenRisk({ url, from, isNamed }: FoundServer): string | undefined {
  return isNamed ? undefined : `the address ${url} was not given explicitly, it comes from ${from}`;
}

interface NamedFolder {
  readonly folder: string;
  readonly from: string;
}

interface FoundFolder {
  readonly folder: string;
  readonly note?: ServerNote | undefined;
  readonly from: string;
  readonly isNamed: boolean;
}

/** The data folder that the user named, or else the nearest one. */
function folderOf(named: NamedFolder, surroundings?: Partial<Surroundings>): FoundFolder;
function folderOf(named: NamedFolder | undefined, surroundings?: Partial<Surroundings>): FoundFolder | undefined;
function folderOf(named: NamedFolder | undefined, surroundings?: Partial<Surroundings>): FoundFolder | undefined {
  const environment = environmentOf(surroundings);
  const data = environment.variable("HOLDFAST_DATA");
  const { folder, from } = named ?? { folder: data, from: "HOLDFAST_DATA" };
  if (folder !== undefined) return { folder, note: environment.noteIn(folder), from, isNamed: true };
  const nearest = environment.nearestFolder();
  return nearest === undefined ? undefined : { ...nearest, from: "its data folder", isNamed: false };
}

function serverOn({ folder, note, from, isNamed }: FoundFolder): FoundServer {
  if (note?.foreignHost !== undefined) {
    throw new TypeError(
      `${note.folder} names a server on ${note.foreignHost}, which is not this host, so no client follows it. ` +
        `If you trust it, give the address explicitly: --url ${note.url}, HOLDFAST_URL, connect(address).`,
    );
  }
  if (note?.isRunning === true)
    return { url: note.url, from: `${from} (${note.folder})`, isNamed, folder: note.folder, pid: note.pid };
  const why = note === undefined ? "" : ", its process is gone";
  const reason = `no server runs on ${folder}${why}`;
  throw new HoldfastError("connect", "unreachable", { data: { folder, reason }, next: startHint(folder) });
}
