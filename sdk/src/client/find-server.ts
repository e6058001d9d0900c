/**
 * Finds the server of a program, and decides whether it may get a token. The client and the command line use this
 * module, so both find the same server in the same environment and trust it for the same reasons.
 */
import { environmentOf } from "#environment";
import { defaultUrl, addressTexts, parseAddresses } from "./address.ts";
import type { ConnectTarget } from "./address.ts";
import type { ServerNote, Surroundings } from "./environment.ts";

export interface FoundServer {
  /** Its address, or the addresses of several nodes separated by commas. */
  readonly url: string;
  /** The source of the address, for messages. */
  readonly from: string;
  /** Whether the user or the program named the address or the data folder. A search alone proves nothing. */
  readonly isNamed: boolean;
  /** The data folder of the server, if the address came from there. */
  readonly folder?: string;
  /** Its process is gone: it crashed. */
  readonly isGone?: true;
  /** The path of the operator's socket, instead of an address of TCP. */
  readonly operatorSocket?: string;
}

/** The server of last resort. */
export const defaultServer: FoundServer = { url: defaultUrl, from: "the default address", isNamed: false };

/**
 * The server of HOLDFAST_URL, else of the data folder in HOLDFAST_DATA, else of the nearest `.holdfast` upwards from
 * the working directory. A crashed server is still the result: a server at another address could belong to another
 * folder.
 */
export function findServer(surroundings?: Partial<Surroundings>): FoundServer | undefined {
  const url = environmentOf(surroundings).variable("HOLDFAST_URL");
  if (url !== undefined) return serverAt(url, "HOLDFAST_URL");
  const found = noteOf(undefined, surroundings);
  return found === undefined ? undefined : serverOfNote(found);
}

/** The server at a given address. */
export function serverAt(target: ConnectTarget, from: string): FoundServer {
  return { url: addressTexts(parseAddresses(target, from)).join(","), from, isNamed: true };
}

/** The running or crashed server of a data folder that the user named. */
export function findServerOn(
  folder: string,
  from: string,
  surroundings?: Partial<Surroundings>,
): FoundServer | undefined {
  const found = noteOf({ folder, from }, surroundings);
  return found === undefined ? undefined : serverOfNote(found);
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
  const found = noteOf(named, surroundings);
  if (found === undefined) return undefined;
  const { note, from, isNamed } = found;
  const { folder, operatorSocket } = note;
  if (operatorSocket === undefined) return undefined;
  return { url: `unix:${encodeURI(operatorSocket)}`, from: `${from} (${folder})`, isNamed, folder, operatorSocket };
}

/** The reason not to send a token to a server; undefined if there is none. */
export function tokenRisk({ url, from, isNamed, isGone }: FoundServer): string | undefined {
  if (isGone === true) return `the process of the server at ${url} is gone, and another program may use its port`;
  return isNamed ? undefined : `the address ${url} was not given explicitly, it comes from ${from}`;
}

interface NamedFolder {
  readonly folder: string;
  readonly from: string;
}

interface FoundNote {
  readonly note: ServerNote;
  readonly from: string;
  readonly isNamed: boolean;
}

function noteOf(named: NamedFolder | undefined, surroundings?: Partial<Surroundings>): FoundNote | undefined {
  const environment = environmentOf(surroundings);
  const data = environment.variable("HOLDFAST_DATA");
  const { folder, from } = named ?? { folder: data, from: "HOLDFAST_DATA" };
  const isNamed = folder !== undefined;
  const note = isNamed ? environment.noteIn(folder) : environment.nearestNote();
  return note === undefined ? undefined : { note, from: isNamed ? from : "its data folder", isNamed };
}

function serverOfNote({ note, from, isNamed }: FoundNote): FoundServer {
  const { url, folder, isRunning, foreignHost } = note;
  if (foreignHost !== undefined) {
    throw new TypeError(
      `${folder} names a server on ${foreignHost}, which is not this host, so no client follows it. ` +
        `If you trust it, give the address explicitly: --url ${url}, HOLDFAST_URL, connect(address).`,
    );
  }
  if (isRunning) return { url, from: `${from} (${folder})`, isNamed, folder };
  return { url, from: `${from} (${folder}; its process is gone)`, isNamed, folder, isGone: true };
}
