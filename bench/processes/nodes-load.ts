/** Lock cycles through one node, each agent on its own path. Usage: node bench/processes/nodes-load.ts URL NAME AGENTS. */
import { open } from "holdfast";
import { serveLoad } from "../load.ts";

const [url = "", name = "", agents = "256"] = process.argv.slice(2);

const client = await open({ journal: url });
await serveLoad(Number(agents), async (agent) => {
  const ownerId = `${name}-${String(agent)}`;
  const held = await client.operations.acquireLock({ paths: [`bench/${ownerId}`], ttlMs: 60_000, ownerId });
  if (!held.granted) throw new Error(`${ownerId} did not get a path that no other owner requests`);
  await client.locks.release({ fence: held.fence }, { ownerId });
});
await client.close();
