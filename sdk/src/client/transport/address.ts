/** The address of a server, and its source for the message when no server answers. */
export interface Address {
  readonly url: URL;
  readonly from: string;
}

/** The target of a connection: one address, or several nodes of one journal as a list or separated by commas. */
export type ConnectTarget = string | URL | readonly (string | URL)[];

export const defaultUrl = "http://127.0.0.1:4653";

export function parseAddresses(target: ConnectTarget, from: string): readonly Address[] {
  const list = Array.isArray(target) ? (target as readonly (string | URL)[]) : [target as string | URL];
  const texts = list.flatMap((address) => String(address).split(",")).map((text) => text.trim());
  if (texts.length === 0) throw new TypeError(`${from} names no server. Use an address such as ${defaultUrl}.`);
  return texts.map((text) => ({ url: parseUrl(text, from), from }));
}

function parseUrl(text: string, from: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(http|ws)s?:$/u.test(url.protocol)) {
    throw new TypeError(`${from} is not the address of a server: "${text}". Use one such as ${defaultUrl}.`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "") {
    throw new TypeError(`${from} must not contain a secret or a query. Pass a token as the option \`token\`.`);
  }
  url.protocol = url.protocol.replace("ws", "http");
  return url;
}

/** The addresses as texts, without a trailing slash. */
export function addressTexts(addresses: readonly Address[]): readonly string[] {
  return addresses.map(({ url }) => url.href.replace(/\/$/u, ""));
}

/** The addresses of a server that was found. An address of another scheme, such as `unix:`, is only for messages. */
export function addressesOf(texts: string, from: string): readonly Address[] {
  return texts.startsWith("unix:") ? [{ url: new URL(texts), from }] : parseAddresses(texts, from);
}
