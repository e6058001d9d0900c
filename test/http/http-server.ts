import { defined } from "@holdfast/sdk/base/defined";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:net";
import { serve } from "../../server/src/assembly/serve.ts";
import type { ServeOptions, RunningServer } from "../../server/src/assembly/serve.ts";
import { ticketKind } from "../machine/ticket-kind.ts";

export type JsonBody = Readonly<Record<string, unknown>>;

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as JSON; undefined if it has none. */
  readonly body: JsonBody;
  readonly text: string;
}

export interface HttpCall {
  readonly body?: unknown;
  /** The raw body, sent in place of `body`. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  readonly reports: unknown[];
  request(method: string, path: string, given?: HttpCall): Promise<HttpAnswer>;
  /** The head position of the journal. */
  position(): Promise<number>;
  close(): Promise<void>;
}

/** A real server with its own folder and port. */
export async function httpServer(more: Pick<ServeOptions, "limits" | "addedServices"> = {}): Promise<HttpServer> {
  const folder = await mkdtemp(join(tmpdir(), "holdfast-http-"));
  const reports: unknown[] = [];
  const report = (message: string, cause: unknown): void => void reports.push([message, cause]);
  const place = { data: folder, host: "127.0.0.1", port: 0 };
  const serving: RunningServer = await serve({ ...place, kinds: [ticketKind], report, ...more });
  const { url } = serving;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= serving.close().then(() => rm(folder, { recursive: true }));
    return closing;
  };
  const ask = (method: string, path: string, given: HttpCall = {}): Promise<HttpAnswer> =>
    send(url, method, path, given);
  return {
    url,
    reports,
    request: ask,
    position: async () => (await ask("GET", "/health")).body["position"] as number,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function send(url: string, method: string, path: string, given: HttpCall): Promise<HttpAnswer> {
  const text = given.text ?? (given.body === undefined ? undefined : JSON.stringify(given.body));
  const type = text === undefined ? {} : { "content-type": "application/json" };
  const response = await fetch(url + path, {
    method,
    headers: { ...type, ...given.headers },
    ...defined({ body: text }),
  });
  const received = await response.text();
  const isJson = (response.headers.get("content-type") ?? "").includes("json") && received !== "";
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? (JSON.parse(received) as JsonBody) : {},
    text: received,
  };
}

/** The raw answer to a raw request that no client library would send. */
export function rawExchange(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setEncoding("latin1");
    socket.on("data", (part: string) => (received += part));
    socket.on("close", () => {
      resolve(received);
    });
    socket.on("error", reject);
  });
}
