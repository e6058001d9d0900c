import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";

/** A program that listens where a client expects a server, and keeps all that the client sends. */
export interface Eavesdropper extends AsyncDisposable {
  readonly url: string;
  /** Headers and messages of all clients, as one text. */
  heard(): string;
}

export async function eavesdrop(port = 0): Promise<Eavesdropper> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    heard.push(JSON.stringify(request.headers));
    response.writeHead(401).end();
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket, { headers }) => {
    heard.push(JSON.stringify(headers));
    socket.on("message", (data: Buffer) => {
      heard.push(data.toString("utf8"));
      // The client ends at once, instead of waiting for a welcome.
      socket.send('[{"kind":"problem","problem":{"code":"token_invalid","data":{}}}]');
      socket.close(4401);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard: () => heard.join("\n"),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
