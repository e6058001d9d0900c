import type { Server, Socket } from "node:net";

/**
 * Closes connections of an address that has too many open. It happens before a byte is read, so there is no request to
 * answer.
 */
export function limitConnections(server: Server, perAddressMax: number): void {
  const counts = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const count = counts.get(address) ?? 0;
    if (count >= perAddressMax) {
      socket.destroy();
      return;
    }
    counts.set(address, count + 1);
    socket.once("close", () => {
      const remaining = (counts.get(address) ?? 1) - 1;
      if (remaining === 0) counts.delete(address);
      else counts.set(address, remaining);
    });
  });
}
