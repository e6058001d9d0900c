/**
 * Detects requests that a web page makes without its user's knowledge. A foreign page can make a browser send requests
 * to this host (CSRF). It can also map its own name to 127.0.0.1 (DNS rebinding), and then loopback protects nothing.
 * Every HTTP door checks this first, before tokens, routes and bodies.
 */
import type { Rejection } from "./gate.ts";

/** The members of a request that identify its origin. */
interface RequestOrigin {
  readonly method: string;
  /** The target as sent. An absolute one names a host too. */
  readonly url?: string | undefined;
  /**
   * Every value of every header, by its name in lower case: `headersDistinct` of Node. Its `headers` has only the first
   * Host of two, and a proxy may have used the other one.
   */
  readonly headers: Readonly<Record<string, readonly string[] | undefined>>;
  /** The route takes bytes, as `application/octet-stream`. A browser asks before a page sends that, as with JSON. */
  readonly isBinary?: boolean;
}

/** The host names of this server: `127.0.0.1:4653`, `holdfast.example`. Compared exactly. */
export type AllowedHosts = ReadonlySet<string>;

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];
const ownSites = new Set(["same-origin", "none"]);
const safeMethods = new Set(["GET", "HEAD", "OPTIONS"]);
const binaryTypes = new Set(["application/octet-stream"]);
const jsonTypes = new Set(["application/json", "application/merge-patch+json", "application/json-patch+json"]);

/**
 * The names of a server on this port: those of the loopback interface, and the configured ones. A configured name
 * without a port is valid with the server's port and, behind a proxy, without any.
 */
export function allowedHostsOf(port: number, names: readonly string[] = []): AllowedHosts {
  const hosts = new Set<string>();
  const add = (name: string): void => {
    hosts.add(`${name}:${port}`);
    if (port === 80) hosts.add(name);
  };
  for (const name of loopbackNames) add(name);
  for (const name of names.map((each) => each.toLowerCase())) {
    hosts.add(name);
    if (!/:[0-9]+$/u.test(name)) add(name);
  }
  return hosts;
}

/** The reason to refuse a request; undefined if there is none. */
export function foreignRequest(request: RequestOrigin, allowed: AllowedHosts): Rejection | undefined {
  const { url = "", headers } = request;
  const host = singleValue(headers["host"]);
  if (host === undefined || !allowed.has(host.toLowerCase())) {
    return foreign(`${quoted(headers["host"])} in the Host header is not a name of this server`);
  }
  const target = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/iu.exec(url)?.[1];
  if (target !== undefined && !allowed.has(target.toLowerCase())) {
    return foreign(`${quoted([target])} in the request target is not a name of this server`);
  }
  const { origin } = headers;
  if (origin !== undefined && !isAllowedOrigin(singleValue(origin), allowed)) {
    return foreign(`${quoted(origin)} in the Origin header is not a page of this server`);
  }
  // Browsers always send this header, and pages cannot set it. `same-site` means another port of this host, which is
  // another program.
  const { "sec-fetch-site": site } = headers;
  if (site !== undefined && !ownSites.has(singleValue(site) ?? "")) return foreign("Sec-Fetch-Site names another site");
  return unsupportedBody(request);
}

/** The reason to refuse the body of a request. A Unix socket has no host name and no origin, so this is all there is. */
export function unsupportedBody({ method, headers, isBinary }: RequestOrigin): Rejection | undefined {
  return safeMethods.has(method) || !hasBody(headers)
    ? undefined
    : unsupportedType(singleValue(headers["content-type"]), isBinary === true ? binaryTypes : jsonTypes);
}

/** A browser sends text and forms of a page to any host without a preflight request. No route accepts them. */
function unsupportedType(type: string | undefined, accepted: ReadonlySet<string>): Rejection | undefined {
  const bare = type?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (accepted.has(bare)) return undefined;
  return { code: "content_type_unsupported", data: { content_type: bare.slice(0, 100), accepted: [...accepted] } };
}

function hasBody(headers: RequestOrigin["headers"]): boolean {
  const { "content-length": length } = headers;
  return headers["transfer-encoding"] !== undefined || (length !== undefined && singleValue(length) !== "0");
}

function isAllowedOrigin(origin: string | undefined, allowed: AllowedHosts): boolean {
  // An opaque origin is `null`: a file, a sandboxed frame or a redirect. None of these is a page of this server.
  const host = /^https?:\/\/([^/]+)$/u.exec(origin?.toLowerCase() ?? "")?.[1];
  return host !== undefined && allowed.has(host);
}

/** A repeated header is ambiguous: two readers might use different values. */
function singleValue(header: readonly string[] | undefined): string | undefined {
  return header?.length === 1 ? header[0] : undefined;
}

function quoted(values: readonly string[] = []): string {
  return values.length === 0 ? "(none)" : JSON.stringify(values.join(", ").slice(0, 200));
}

function foreign(reason: string): Rejection {
  return { code: "foreign_request", data: { reason } };
}
