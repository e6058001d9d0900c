/** The client of the peer that decides nothing. Calls of one turn share a frame, as those of Holdfast do. */
import { once } from "node:events";
import { WebSocket } from "ws";

export interface ToyPeer {
  /** Two calls, one after the other, as an acquire and a release. */
  cycle(path: string): Promise<void>;
  close(): void;
}

export async function connectToy(url: string): Promise<ToyPeer> {
  const socket = new WebSocket(url);
  await once(socket, "open");
  const pending = new Map<number, () => void>();
  let calls: object[] = [];
  let lastId = 0;
  socket.on("message", (data: Buffer) => {
    for (const { id } of JSON.parse(data.toString("utf8")) as readonly { readonly id: number }[]) {
      pending.get(id)?.();
      pending.delete(id);
    }
  });
  const flush = (): void => {
    socket.send(JSON.stringify(calls));
    calls = [];
  };
  const call = (operation: string, path: string): Promise<void> =>
    new Promise((resolve) => {
      lastId += 1;
      pending.set(lastId, resolve);
      if (calls.length === 0) setImmediate(flush);
      calls.push({ id: lastId, operation, input: { paths: [path], ttl_seconds: 60 } });
    });
  return {
    async cycle(path) {
      await call("acquire", path);
      await call("release", path);
    },
    close: () => {
      socket.close();
    },
  };
}
