/**
 * The peer of lock cycles uses the locks of `etcd3`, each a key with its own lease, as that package makes them. Usage:
 * node bench/peers/etcd-load.ts URL AGENTS. All agents share its connection, which carries many requests at a time.
 */
import { Etcd3 } from "etcd3";
import { serveLoad } from "../load.ts";

const [url = "", agents = "256"] = process.argv.slice(2);

const client = new Etcd3({ hosts: url });
await serveLoad(Number(agents), async (agent) => {
  const lock = client.lock(`bench/${String(agent)}`).ttl(60);
  await lock.acquire();
  await lock.release();
});
client.close();
// The package keeps timers for the leases that it released. They would keep the process alive until the TTL has passed.
process.exit(0);
