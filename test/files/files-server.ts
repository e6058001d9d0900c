import { defined } from "@holdfast/sdk/base/defined";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "holdfast";
import type { Allowance, Client } from "holdfast";
import { serve } from "../../server/src/assembly/serve.ts";
import type { ServeOptions } from "../../server/src/assembly/serve.ts";

export const operatorToken = "the-operator-of-published-files-0123456789";

interface RequestParts {
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FilesServer extends AsyncDisposable {
  readonly url: string;
  /** The folder of the storage root. */
  readonly root: string;
  readonly reports: readonly string[];
  /** A client of the operator. */
  readonly operator: Client;
  /** A client of another principal with rights under a path. */
  clientOf(principal: string, allow: readonly Allowance[]): Promise<Client>;
  /** Sends a request with the operator's token. */
  request(method: string, path: string, init?: RequestParts): Promise<Response>;
  /** Stops the server, and starts it again on the same folder. */
  restarted(): Promise<FilesServer>;
}

/** A real server with a storage root. Its journal has the time of the given clock. */
export async function filesServer(given?: string, time: Pick<ServeOptions, "clock"> = {}): Promise<FilesServer> {
  const data = given ?? (await mkdtemp(join(tmpdir(), "holdfast-files-")));
  const reports: string[] = [];
  const report = (message: string): void => void reports.push(message);
  const serving = await serve({ data, host: "127.0.0.1", port: 0, operatorToken, report, ...time });
  const { url } = serving;
  const clients: Client[] = [];
  const connected = async (token: string): Promise<Client> => {
    const client = await connect(url, { token, transport: "http", retry: false });
    clients.push(client);
    return client;
  };
  const operator = await connected(operatorToken);
  const stop = async (): Promise<void> => {
    await Promise.all(clients.map((client) => client.close()));
    await serving.close();
  };
  return {
    url,
    reports,
    operator,
    root: join(data, "files"),
    clientOf: async (principal, allow) => connected((await operator.tokens.create({ principal, allow })).secret),
    request: (method, path, { body, headers = {} } = {}) =>
      fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${operatorToken}`, ...headers },
        ...defined({ body }),
      }),
    async restarted() {
      await stop();
      return filesServer(data, time);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}
