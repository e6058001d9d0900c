/** One history of each deployment. `npm run histories` records many. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { counts } from "../prove/counts.ts";
import { checkHistory } from "./check-history.ts";
import type { Deployment } from "./deployment.ts";
import { recordHistory } from "./history-run.ts";
import { oneServer } from "./one-server.ts";
import { threeNodes } from "./three-nodes.ts";

interface TestedDeployment {
  readonly title: string;
  readonly start: () => Promise<Deployment>;
  readonly count: number;
}

const deployments: readonly TestedDeployment[] = [
  {
    title: "one server that is killed, paused, cut off, out of disk or whose clock jumps",
    start: oneServer,
    count: counts.oneServerHistories,
  },
  {
    title: "a cluster of three nodes that are killed, paused and cut off, over a Postgres that crashes,",
    start: threeNodes,
    count: counts.threeNodeHistories,
  },
];

/** Maximum characters of the servers' logs that a failure shows, the last ones. */
const logCharsMax = 20_000;

for (const { title, start, count } of deployments) {
  test(`${title} answers as some order of the calls explains, over HTTP and the socket alike [X1 X3 X7 X13]`, async (t) => {
    const deployment = await start();
    try {
      for (let seed = 6; seed < 6 + count; seed += 1) {
        const plan = { seed, calls: counts.historyCalls, clients: 12, faults: "each kind" } as const;
        const history = await recordHistory(deployment, plan);
        const { entries, grants, fencedWrites, withdrawals, atOnce } = checkHistory(history);
        t.diagnostic(`${entries} entries, ${grants} grants, ${fencedWrites} fenced writes, ${atOnce} calls at once`);
        assert.ok(withdrawals > 0, "requests were withdrawn");
        const kinds = new Set(deployment.faults.map(({ name }) => name));
        assert.deepEqual(new Set(history.injected.keys()), kinds, "every kind of fault was injected");
      }
      for (const fault of deployment.unsupported) t.diagnostic(`not tried here: ${fault}`);
    } catch (error) {
      t.diagnostic(deployment.log().slice(-logCharsMax));
      throw error;
    } finally {
      await deployment.close();
    }
  });
}
