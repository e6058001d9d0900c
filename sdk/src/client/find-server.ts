/**
 * Which server a program means. The client and the command line use this module, so that both find the same server in
 * the same environment.
 */
import { environmentOf } from "#environment";
import { defaultUrl, addressTexts, parseAddresses } from "./address.ts";
import type { Target } from "./address.ts";
import type { ServerNote, Surroundings } from "./environment.ts";

export interface FoundServer {
  /** Its address; those of several nodes between commas. */
  readonly url: string;
  /** What named it, for messages. */
  readonly from: string;
  /** The data folder that it runs on, if that named it. */
  readonly folder?: string;
  /** Its process is gone: it crashed. */
  readonly isGone?: true;
}

/** The server to try if nothing names one. */
export const defaultServer: FoundServer = { url: defaultUrl, from: "the default address" };

/**
 * The server of HOLDFAST_URL; else the one on the data folder of HOLDFAST_DATA, or, if that is not set, on the nearest
 * `.holdfast`, from the working directory upwards. A server that crashed is still the one that is meant: what answers
 * elsewhere could belong to another folder.
 */
export function findServer(surroundings?: Partial<Surroundings>): FoundServer | undefined {
  const environment = environmentOf(surroundings);
  const named = environment.variable("HOLDFAST_URL");
  if (named !== undefined) return serverAt(named, "HOLDFAST_URL");
  const data = environment.variable("HOLDFAST_DATA");
  if (data !== undefined) return noted(environment.noteIn(data), "HOLDFAST_DATA");
  return noted(environment.nearestNote(), "its data folder");
}

/** The server at an address that was given. */
export function serverAt(target: Target, from: string): FoundServer {
  return { url: addressTexts(parseAddresses(target, from)).join(","), from };
}

/** The server that runs, or crashed, on a data folder. */
export function findServerOn(
  folder: string,
  from: string,
  surroundings?: Partial<Surroundings>,
): FoundServer | undefined {
  return noted(environmentOf(surroundings).noteIn(folder), from);
}

function noted(note: ServerNote | undefined, from: string): FoundServer | undefined {
  if (note === undefined) return undefined;
  const { url, folder, isRunning } = note;
  if (isRunning) return { url, from: `${from} (${folder})`, folder };
  return { url, from: `${from} (${folder}; its process is gone)`, folder, isGone: true };
}
