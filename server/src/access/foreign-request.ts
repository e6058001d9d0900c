/**
 * Requests that a web page makes behind its user's back. A page of somebody else can make a browser send requests to
 * this host (CSRF), and can give its own name the address 127.0.0.1 (DNS rebinding); then loopback protects nobody.
 * So every door that speaks HTTP asks this first: before it looks for a token, a route or a body.
 */
import type { Turned } from "./gate.ts";

/** As much of a request as tells whose it is. Names of headers are in lower case, as Node gives them. */
export interface RequestFacts {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The names under which this server may be spoken to: `127.0.0.1:4653`, `holdfast.example`. Compared exactly. */
export type AllowedHosts = ReadonlySet<string>;

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);
const jsonTypes = new Set(["application/json", "application/merge-patch+json", "application/json-patch+json"]);

/**
 * The names of a server on this port: those of the loopback interface, and the configured ones. A configured name
 * without a port is good with the port of the server and, for a proxy in front of it, without any.
 */
export function allowedHostsOf(port: number, names: readonly string[] = []): AllowedHosts {
  const hosts = new Set<string>();
  const add = (name: string): void => {
    hosts.add(`${name}:${port}`);
    if (port === 80) hosts.add(name);
  };
  for (const name of loopbackNames) add(name);
  for (const name of names.map((one) => one.toLowerCase())) {
    hosts.add(name);
    if (!/:[0-9]+$/u.test(name)) add(name);
  }
  return hosts;
}

/** Why a request is not answered; undefined if nothing speaks against it. */
export function foreignRequest({ method, headers }: RequestFacts, allowed: AllowedHosts): Turned | undefined {
  const host = only(headers["host"]);
  if (host === undefined || !allowed.has(host.toLowerCase())) {
    return foreign(`the host ${quoted(host)} is not a name of this server`);
  }
  const { origin } = headers;
  if (origin !== undefined && !isAllowedOrigin(only(origin), allowed)) {
    return foreign(`the page ${quoted(only(origin))} is not one of this server`);
  }
  // Browsers always say it, pages can't set it. `same-site` is another port of this host: another program's page.
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return foreign("a page of another site asks");
  return safeMethods.has(method) || !hasBody(headers) ? undefined : unfitType(only(headers["content-type"]));
}

/** Text and forms are what a page may send anywhere without asking first; nothing here takes them. */
function unfitType(type: string | undefined): Turned | undefined {
  const bare = type?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (jsonTypes.has(bare)) return undefined;
  return { code: "content_type_unsupported", data: { content_type: bare.slice(0, 100), accepted: [...jsonTypes] } };
}

function hasBody(headers: RequestFacts["headers"]): boolean {
  const length = headers["content-length"];
  return headers["transfer-encoding"] !== undefined || (length !== undefined && length !== "0");
}

function isAllowedOrigin(origin: string | undefined, allowed: AllowedHosts): boolean {
  // An opaque origin says `null`: a file, a sandboxed frame, a redirect. None of these is a page of this server.
  const host = /^https?:\/\/([^/]+)$/u.exec(origin?.toLowerCase() ?? "")?.[1];
  return host !== undefined && allowed.has(host);
}

/** A header that was sent twice is nobody's: two readers might take different ones. */
function only(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === "string" ? header : undefined;
}

function quoted(text: string | undefined): string {
  return text === undefined ? "(none)" : JSON.stringify(text.slice(0, 200));
}

function foreign(reason: string): Turned {
  return { code: "foreign_request", data: { reason } };
}
