/**
 * Events appended per second, compared with Emmett on the same Postgres: 32 writers, each with one write in flight. The
 * streams are a thousand entities, and the events are the same changes, byte for byte, one per write.
 */
import { LoadGroup } from "./processes/load-group.ts";
import { makeDatabases } from "./make-databases.ts";
import { atLeast, type Row } from "./report.ts";
import { describe, inTurn, type Plan, sum } from "./rounds.ts";

export async function eventRow(postgresUrl: string, plan: Plan, report: (line: string) => void): Promise<Row> {
  await using open = new AsyncDisposableStack();
  const urls = await makeDatabases(postgresUrl, ["entities", "emmett"]);
  const entities = await LoadGroup.start("entity-load.ts", [[urls.entities, "32"]]);
  open.defer(() => entities.close());
  const emmett = await LoadGroup.start("../peers/emmett-load.ts", [[urls.emmett, "32"]]);
  open.defer(() => emmett.close());
  const rounds = await inTurn({ Emmett: (ms) => emmett.run(ms), "entity writes": (ms) => entities.run(ms) }, plan);
  for (const [name, loads] of Object.entries(rounds)) report(describe(name, loads));
  const [ours, peer] = [rounds["entity writes"].map(sum), rounds.Emmett.map(sum)];
  return atLeast("events appended/s, 32 writers, one node on Postgres, over Emmett", ours, peer, 10);
}
