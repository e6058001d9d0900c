/**
 * Finds the server of a program. The client and the command line use this module, so both find the same server in the
 * same environment.
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
  /** The data folder of the server, if the address came from there. */
  readonly folder?: string;
  /** Its process is gone: it crashed. */
  readonly isGone?: true;
}

/** The server of last resort. */
export const defaultServer: FoundServer = { url: defaultUrl, from: "the default address" };

/**
 * The server of HOLDFAST_URL, else of the data folder in HOLDFAST_DATA, else of the nearest `.holdfast` upwards from
 * the working directory. A crashed server is still the result: a server at another address could belong to another
 * folder.
 */
export function findServer(surroundings?: Partial<Surroundings>): FoundServer | undefined {
  const environment = environmentOf(surroundings);
  const url = environment.variable("HOLDFAST_URL");
  if (url !== undefined) return serverAt(url, "HOLDFAST_URL");
  const data = environment.variable("HOLDFAST_DATA");
  if (data !== undefined) return serverOfNote(environment.noteIn(data), "HOLDFAST_DATA");
  return serverOfNote(environment.nearestNote(), "its data folder");
}

/** The server at a given address. */
export function serverAt(target: ConnectTarget, from: string): FoundServer {
  return { url: addressTexts(parseAddresses(target, from)).join(","), from };
}

/** The running or crashed server of a data folder. */
export function findServerOn(
  folder: string,
  from: string,
  surroundings?: Partial<Surroundings>,
): FoundServer | undefined {
  return serverOfNote(environmentOf(surroundings).noteIn(folder), from);
}

function serverOfNote(note: ServerNote | undefined, from: string): FoundServer | undefined {
  if (note === undefined) return undefined;
  const { url, folder, isRunning } = note;
  if (isRunning) return { url, from: `${from} (${folder})`, folder };
  return { url, from: `${from} (${folder}; its process is gone)`, folder, isGone: true };
}
