/** A connection that a test can break, delay and redirect. */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { TestContext } from "node:test";

export interface TcpProxy {
  readonly url: string;
  /** Number of connections made through the proxy. */
  readonly count: () => number;
  /** Breaks every connection, as a network does, also in the middle of a message. */
  readonly cut: () => void;
  /** Stops data from the server to the client. Data to the server still arrives. */
  readonly muteServer: () => void;
  readonly leadTo: (url: string) => void;
}

export async function proxyFor(t: TestContext, target: string): Promise<TcpProxy> {
  const pairs = new Set<readonly [near: Socket, far: Socket]>();
  let port = portOf(target);
  let count = 0;
  let isMute = false;
  const server = createServer((near) => {
    count += 1;
    isMute = false;
    const far = connect(port, "127.0.0.1");
    const pair = [near, far] as const;
    pairs.add(pair);
    near.once("data", (head) => {
      far.write(renamed(head, port));
      near.on("data", (data) => far.write(data));
    });
    far.on("data", (data) => {
      if (!isMute) near.write(data);
    });
    for (const [one, other] of [pair, [far, near] as const]) {
      one.on("error", () => undefined);
      one.on("close", () => {
        other.destroy();
        pairs.delete(pair);
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const [near, far] of pairs) {
      near.destroy();
      far.destroy();
    }
  };
  t.after(() => {
    cut();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    cut,
    muteServer: () => {
      isMute = true;
    },
    leadTo: (url) => {
      port = portOf(url);
    },
  };
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** A server accepts only its own name, so the first request gets that Host header. */
function renamed(head: Buffer, port: number): Buffer {
  const text = head.toString("latin1").replace(/^host: [^\r\n]+/imu, `host: 127.0.0.1:${port}`);
  return Buffer.from(text, "latin1");
}
