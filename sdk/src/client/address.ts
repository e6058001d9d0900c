import type { Environment } from "./environment.ts";

/** Where a server is, and how the client came to think so: whoever gets no answer there needs to know. */
export interface Address {
  readonly url: URL;
  readonly from: string;
}

export const defaultUrl = "http://127.0.0.1:4653";

/** The address given; else that of HOLDFAST_URL; else the one that a server wrote into `.holdfast`; else the default. */
export function findAddress(given: string | URL | undefined, environment: Environment): Address {
  if (given !== undefined) return { url: parsed(String(given), "the address given"), from: "the address given" };
  const named = environment.variable("HOLDFAST_URL");
  if (named !== undefined) return { url: parsed(named, "HOLDFAST_URL"), from: "HOLDFAST_URL" };
  const written = environment.writtenAddress();
  if (written !== undefined) return { url: parsed(written.url, written.file), from: written.file };
  return { url: new URL(defaultUrl), from: "the default address" };
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
