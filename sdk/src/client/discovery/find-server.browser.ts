import { addressTexts, defaultUrl, parseAddresses } from "../transport/address.ts";
import type { ConnectTarget } from "../transport/address.ts";
import type { FoundServer } from "./found-server.ts";

/** The server of last resort. */
export const defaultServer: FoundServer = { url: defaultUrl, from: "the default address", isNamed: false };

/** A page has no environment variables and no data folder that could name a server. */
export function findServer(): FoundServer | undefined {
  return undefined;
}

/** The server at a given address. */
export function serverAt(target: ConnectTarget, from: string): FoundServer {
  return { url: addressTexts(parseAddresses(target, from)).join(","), from, isNamed: true };
}

/** The reason not to send a token to a server; undefined if there is none. */
export function tokenRisk({ url, from, isNamed }: FoundServer): string | undefined {
  return isNamed ? undefined : `the address ${url} was not given explicitly, it comes from ${from}`;
}
