/** A short run of what `npm run histories` does for long. */
import { test } from "node:test";
import { checkHistory } from "./check-history.ts";
import type { Deployment } from "./deployment.ts";
import { recordHistory } from "./history-run.ts";
import { oneServer } from "./one-server.ts";
import { threeNodes } from "./three-nodes.ts";

const deployments: readonly (readonly [string, () => Promise<Deployment>])[] = [
  ["one server that is killed, paused, cut off, out of disk or told another time", oneServer],
  ["three nodes over a Postgres that crashes, which are killed, paused and cut off,", threeNodes],
];

for (const [what, start] of deployments) {
  test(`${what} answers as some order of the calls explains, over HTTP and the socket alike [X1 X3 X7]`, async (t) => {
    const deployment = await start();
    try {
      const history = await recordHistory(deployment, { seed: 6, calls: 1_500, clients: 12, faultsMax: 5 });
      const { entries, grants, fencedWrites, atOnce } = checkHistory(history);
      for (const one of deployment.notThere) t.diagnostic(`not tried here: ${one}`);
      t.diagnostic(`${entries} entries, ${grants} grants, ${fencedWrites} fenced writes, ${atOnce} calls at once`);
    } finally {
      await deployment.close();
    }
  });
}
