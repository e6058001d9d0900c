/**
 * One HTTP request over a connection of its own. A command sends one or two requests and ends, and `node:net` is loaded
 * several times faster than `node:http` or `fetch`. It reads what a Holdfast server sends: a head, and a body with a
 * length, in chunks, or up to the end of the connection.
 */
import { defined } from "@holdfast/sdk/base/defined";
import { connect } from "node:net";
import type { Socket } from "node:net";

interface HttpTarget {
  readonly url: URL;
  /** The path of a Unix socket, instead of the host and the port of the address. */
  readonly socketPath?: string | undefined;
}

interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The exchange failed. `isSent` says whether the server may have received the request. */
export class ExchangeError extends Error {
  override readonly name = "ExchangeError";
  readonly isSent: boolean;

  constructor(message: string, isSent: boolean) {
    super(message);
    this.isSent = isSent;
  }
}

/** Sends a request and returns the body of the response. */
export async function exchange(target: HttpTarget, request: HttpRequest): Promise<string> {
  if (target.url.protocol === "https:") return fetchText(target.url, request);
  const socket = openSocket(target);
  const response = await responseOf(socket, requestText(target.url, request));
  return bodyOf(response);
}

function openSocket({ url, socketPath }: HttpTarget): Socket {
  if (socketPath !== undefined) return connect({ path: socketPath });
  // The brackets of an IPv6 address belong to the URL alone.
  return connect({ host: url.hostname.replace(/^\[|\]$/gu, ""), port: Number(url.port || "80") });
}

function requestText(url: URL, { method, path, headers, body = "" }: HttpRequest): string {
  const all = {
    host: url.host || "localhost",
    connection: "close",
    ...headers,
    "content-length": String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${withoutLineBreaks(value)}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

function withoutLineBreaks(value: string): string {
  return value.replace(/[\r\n]+/gu, " ");
}

function responseOf(socket: Socket, text: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let isSent = false;
    const fail = (reason: string): void => reject(new ExchangeError(reason, isSent));
    socket.once("connect", () => {
      isSent = true;
      socket.write(text);
    });
    socket.setTimeout(silenceMaxMs, () => {
      fail(`no answer within ${silenceMaxMs / 1_000} s`);
      socket.destroy();
    });
    socket.on("data", (part: Buffer) => void parts.push(part));
    socket.once("error", (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    socket.once("close", () =>
      parts.length === 0 ? fail("the connection was closed") : resolve(Buffer.concat(parts)),
    );
  });
}

/** Maximum time without a byte from the server. */
const silenceMaxMs = 60_000;

const headEnd = Buffer.from("\r\n\r\n");

function bodyOf(response: Buffer): string {
  const end = response.indexOf(headEnd);
  if (end < 0) throw new ExchangeError("the response is incomplete", true);
  const head = response.toString("latin1", 0, end).toLowerCase();
  const body = response.subarray(end + headEnd.length);
  if (/\r\ntransfer-encoding: *chunked/u.test(head)) return withoutChunks(body).toString("utf8");
  const [, length] = /\r\ncontent-length: *([0-9]+)/u.exec(head) ?? [];
  if (length !== undefined && body.length < Number(length)) throw new ExchangeError("the response is incomplete", true);
  return body.toString("utf8");
}

function withoutChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = body.indexOf("\r\n", at);
    const size = lineEnd < 0 ? Number.NaN : Number.parseInt(body.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size) || lineEnd + 2 + size > body.length)
      throw new ExchangeError("the response is incomplete", true);
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}

async function fetchText(url: URL, { method, path, headers, body }: HttpRequest): Promise<string> {
  try {
    const response = await fetch(new URL(path, url), defined({ method, headers, body }));
    return await response.text();
  } catch (error) {
    const { cause, message } = error as Error & {
      readonly cause?: { readonly code?: string; readonly message?: string };
    };
    const isSent = !["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"].includes(
      cause?.code ?? "",
    );
    throw new ExchangeError(cause?.code ?? cause?.message ?? message, isSent);
  }
}
