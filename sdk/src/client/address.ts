import type { Environment } from "./environment.ts";

/** Where a server is, and how the client came to think so: whoever gets no answer there needs to know. */
export interface Address {
  readonly url: URL;
  readonly from: string;
}

/** Where to connect to: one address, or those of several nodes of the same journal, also as words between commas. */
export type Target = string | URL | readonly (string | URL)[];

export const defaultUrl = "http://127.0.0.1:4653";

/** The addresses given; else those of HOLDFAST_URL; else the one that a server wrote into `.holdfast`; else the default. */
export function findAddresses(given: Target | undefined, environment: Environment): readonly Address[] {
  if (given !== undefined) return parsedAll(given, "the address given");
  const named = environment.variable("HOLDFAST_URL");
  if (named !== undefined) return parsedAll(named, "HOLDFAST_URL");
  const written = environment.writtenAddress();
  if (written !== undefined) return [{ url: parsed(written.url, written.file), from: written.file }];
  return [{ url: new URL(defaultUrl), from: "the default address" }];
}

function parsedAll(target: Target, from: string): readonly Address[] {
  const list = Array.isArray(target) ? (target as readonly (string | URL)[]) : [target as string | URL];
  const texts = list.flatMap((one) => String(one).split(",")).map((text) => text.trim());
  if (texts.length === 0) throw new TypeError(`${from} names no server. Give an address like ${defaultUrl}.`);
  return texts.map((text) => ({ url: parsed(text, from), from }));
}

function parsed(text: string, from: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^(http|ws)s?:$/u.test(url.protocol)) {
    throw new TypeError(`${from} is no address of a server: "${text}". Give one like ${defaultUrl}.`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "") {
    throw new TypeError(`${from} must not hold a secret or a query. Give a token as the option \`token\`.`);
  }
  url.protocol = url.protocol.replace("ws", "http");
  return url;
}
