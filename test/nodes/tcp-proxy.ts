/** A proxy between a node and its server. It adds latency, or changes or delays the output of the server. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { once } from "node:events";
import { systemClock } from "../../server/src/base/clock.ts";

export interface TcpProxy {
  /** The same address, through this proxy. */
  readonly url: string;
  close(): Promise<void>;
}

export interface TcpProxyOptions {
  /** The address on which it listens. The default is loopback. */
  readonly host?: string;
  /** Delay in each direction. */
  readonly delayMs?: number;
  /** Changes the first output of the server after the login. */
  readonly rewrite?: (chunk: Buffer) => Buffer;
  /** Delays a chunk of the server, and all later chunks of the connection, until the returned promise resolves. */
  readonly hold?: (chunk: Buffer) => Promise<void> | undefined;
}

export async function startTcpProxy(to: string, options: TcpProxyOptions = {}): Promise<TcpProxy> {
  const { host = "127.0.0.1", delayMs = 0, rewrite, hold } = options;
  const target = new URL(to);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      socket.setNoDelay(true);
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    pass(near, far, { delayMs });
    pass(far, near, { delayMs, ...(rewrite && { rewrite }), ...(hold && { hold }) });
  }).listen(0, host);
  await once(server, "listening");
  const url = new URL(to);
  url.hostname = host;
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function pass(from: Socket, to: Socket, { delayMs = 0, rewrite, hold }: TcpProxyOptions): void {
  const later = (work: () => void): void => {
    if (delayMs === 0) work();
    else systemClock.after(delayMs, work, { keepAlive: true });
  };
  from.on("data", (chunk: Buffer) => {
    const sent = rewrite?.(chunk) ?? chunk;
    const held = hold?.(chunk);
    if (held === undefined) {
      later(() => void to.write(sent));
      return;
    }
    from.pause();
    void held.then(() => {
      to.write(sent);
      from.resume();
    });
  });
  from.on("close", () => {
    later(() => {
      to.destroy();
    });
  });
}
