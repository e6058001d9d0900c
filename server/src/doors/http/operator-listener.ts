/**
 * The operator's listener: the same routes on a Unix socket in the data folder. Only the user of that folder, or root,
 * can connect to it or listen there. So it proves the server to its client, and clients of TCP cannot keep the operator
 * out. A caller there still needs a token.
 */
import { chmodSync } from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { limitConnections } from "../../access/limit-connections.ts";
import { httpLimits } from "./limits.ts";
import { answerBrokenRequest } from "./response/errors.ts";

export class OperatorListener {
  readonly #app: FastifyInstance;
  readonly #sockets = new WeakSet<Socket>();
  #server: Server | undefined;

  constructor(app: FastifyInstance) {
    this.#app = app;
  }

  /** Whether a request arrived here. A web page cannot reach a Unix socket, so no page sent it. */
  has(socket: Socket): boolean {
    return this.#sockets.has(socket);
  }

  async listen(path: string): Promise<Server> {
    const server = createServer({
      maxHeaderSize: httpLimits.headerBytesMax,
      headersTimeout: httpLimits.headersMs,
      requestTimeout: 0,
      connectionsCheckingInterval: httpLimits.checkEveryMs,
      keepAliveTimeout: httpLimits.keepAliveMs,
    });
    server.on("connection", (socket) => this.#sockets.add(socket));
    const max = httpLimits.operatorConnectionsMax;
    limitConnections(server, { perAddressMax: max, totalMax: max });
    server.on("clientError", answerBrokenRequest);
    server.on("request", (request, response) => {
      this.#app.routing(request, response);
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, resolve);
    });
    this.#server = server;
    // The folder already keeps other users out. This is for a folder that its user opens later.
    chmodSync(path, 0o600);
    return server;
  }

  /** Stops listening, which also removes the socket file. Open connections are closed when they are idle. */
  close(): void {
    this.#server?.close();
    this.#server?.closeIdleConnections();
  }

  closeAllConnections(): void {
    this.#server?.closeAllConnections();
  }
}
