/**
 * Which server a command talks to: the one of --url; the one that runs on the folder of --data; HOLDFAST_URL; the one on
 * the folder of HOLDFAST_DATA, or on the nearest `.holdfast`, from here upwards; else port 4653 of this host.
 */
import { dirname, join, resolve } from "node:path";
import { readServerNote } from "../../../config/server-note.ts";
import { settings } from "../../../config/settings.ts";
import { type Given, type Terminal, UsageError } from "../command.ts";
import { textOption } from "../args/option-values.ts";

export interface FoundServer {
  /** Where it is; those of several nodes between commas. */
  readonly url: string;
  /** How it was found, for whoever wonders. */
  readonly from: string;
  /** The data folder that it runs on, if it was found by that. */
  readonly folder?: string;
  /** Its process is gone: it did not stop, it crashed. */
  readonly isGone?: true;
}

export const defaultUrl = `http://${settings.host.default}:${settings.port.default}`;

export function findServer(given: Given, terminal: Terminal): FoundServer {
  return find(given, terminal) ?? { url: defaultUrl, from: "the default address" };
}

/** The server, if anything says that there is one: undefined for whoever can read the folder instead. */
export function findRunning(given: Given, terminal: Terminal): FoundServer | undefined {
  const found = find(given, terminal);
  return found?.isGone === true ? undefined : found;
}

/** A server that crashed is still the one that is meant: what answers elsewhere could be another folder's. */
function find({ values }: Given, { env, folder }: Terminal): FoundServer | undefined {
  const url = textOption(values, "url");
  if (url !== undefined) return { url: checked(url, "--url"), from: "--url" };
  const data = textOption(values, "data");
  if (data !== undefined) {
    const found = onFolder(resolve(folder, data), "--data");
    if (found !== undefined) return found;
    throw new UsageError(`no server runs on ${data}: start one with \`holdfast up --data ${data}\``);
  }
  const { HOLDFAST_URL: named = "", HOLDFAST_DATA: namedFolder = "" } = env;
  if (named !== "") return { url: checked(named, "HOLDFAST_URL"), from: "HOLDFAST_URL" };
  return namedFolder === "" ? nearest(folder) : onFolder(resolve(folder, namedFolder), "HOLDFAST_DATA");
}

function nearest(folder: string): FoundServer | undefined {
  const found = onFolder(join(folder, settings.data.default), "its data folder");
  const parent = dirname(folder);
  return found ?? (parent === folder ? undefined : nearest(parent));
}

function onFolder(folder: string, from: string): FoundServer | undefined {
  const note = readServerNote(folder);
  if (note === undefined) return undefined;
  return { url: note.url, from: `${from} (${folder})`, folder, ...(note.isRunning ? {} : { isGone: true }) };
}

/** Several nodes of one journal may be named, between commas. */
function checked(text: string, from: string): string {
  return text
    .split(",")
    .map((one) => checkedOne(one.trim(), from))
    .join(",");
}

function checkedOne(text: string, from: string): string {
  if (URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol)) return text.replace(/\/$/u, "");
  throw new UsageError(`${from} takes an address like ${defaultUrl}, not "${text}"`);
}
