/** A runtime that kills itself when an entry is durable, before the answer, the acknowledgement and the publication. */
import { startEngine, openFolder } from "../../server/src/assembly/open.ts";
import { startMeshNode } from "./mesh-node.ts";

const [folder = "", url = ""] = process.argv.slice(2);
const engine = await startEngine({
  journal: await openFolder(folder),
  onBatch: () => {
    process.kill(process.pid, "SIGKILL");
  },
});
await startMeshNode(url, { engine, limits: { ackWaitMs: 200, deadlineMs: 100 } });
console.log("up");
