/** Lock cycles on one, two and three nodes, compared with locks directly on Postgres and locks of etcd. */
import { startTcpProxy } from "../test/nodes/tcp-proxy.ts";
import { DirectLocks } from "./peers/direct-locks.ts";
import { startEtcd } from "./peers/etcd-server.ts";
import { LoadGroup } from "./processes/load-group.ts";
import { makeDatabases } from "./make-databases.ts";
import type { Load } from "./load.ts";
import { atLeast, below, median, type Row } from "./report.ts";
import { describe, inTurn, type Plan, sum } from "./rounds.ts";

export async function lockRows(
  postgresUrl: string,
  plan: Plan,
  report: (line: string) => void,
): Promise<readonly Row[]> {
  await using open = new AsyncDisposableStack();
  // Nodes of different contenders have separate databases.
  const urls = await makeDatabases(postgresUrl, ["direct", "one", "two", "three"]);
  const start = async (file: string, words: readonly (readonly string[])[]): Promise<LoadGroup> => {
    const group = await LoadGroup.start(file, words);
    open.defer(() => group.close());
    return group;
  };
  // One millisecond each way.
  const distant = await startTcpProxy(urls.three, { delayMs: 1 });
  open.defer(() => distant.close());
  const etcdServer = await startEtcd();
  open.defer(() => etcdServer.close());
  const direct = await DirectLocks.connect(urls.direct);
  open.defer(() => direct.close());
  const etcd = await start("../peers/etcd-load.ts", [[etcdServer.url, "256"]]);
  const one = await start("nodes-load.ts", [[urls.one, "n0", "256"]]);
  const two = await start("nodes-load.ts", nodesOn([urls.two, urls.two], 128));
  const three = await start("nodes-load.ts", nodesOn([urls.three, urls.three, distant.url], 64));
  const rounds = await inTurn(
    {
      "advisory locks": async (ms) => [await direct.advisory(ms)],
      "rows as locks": async (ms) => [await direct.rows(ms)],
      etcd: (ms) => etcd.run(ms),
      "one node": (ms) => one.run(ms),
      "two nodes": (ms) => two.run(ms),
      "three nodes": (ms) => three.run(ms),
    },
    plan,
  );
  for (const [name, loads] of Object.entries(rounds)) report(describe(name, loads));
  const rate = (name: keyof typeof rounds): readonly number[] => rounds[name].map(sum);
  const [ofOne, ofTwo] = [rate("one node"), rate("two nodes")];
  const threes = rounds["three nodes"];
  const what = "lock cycles/s, 256 agents";
  return [
    {
      ...atLeast(`${what}, one node on Postgres, over rows as locks`, ofOne, rate("rows as locks"), 3.5),
      firstGoal: 8,
    },
    {
      ...atLeast(`${what}, one node on Postgres, over advisory locks`, ofOne, rate("advisory locks"), 1.2),
      firstGoal: 8,
    },
    atLeast(`${what}, sum of two nodes, over one node`, ofTwo, ofOne, 0.9),
    { ...atLeast(`${what}, one node on Postgres, over etcd locks`, ofOne, rate("etcd"), 15), firstGoal: 20 },
    atLeast(
      "three nodes, one of them 2 ms away: its share over an equal share",
      threes.map((loads) => loads[2]?.perSecond ?? NaN),
      rate("three nodes").map((all) => all / 3),
      0.3,
    ),
    {
      ...below("three nodes: the worst p99 over the median of all", threes.map(worst), threes.map(middle), 6),
      firstGoal: 10,
    },
  ];
}

const nodesOn = (urls: readonly string[], agents: number): readonly (readonly string[])[] =>
  urls.map((url, index) => [url, `n${String(index)}`, String(agents)]);

const worst = (loads: readonly Load[]): number => Math.max(...loads.map(({ p99 }) => p99));
const middle = (loads: readonly Load[]): number => median(loads.map(({ p50 }) => p50));
