/** The time until a new node is ready on a Postgres journal with a long history. */
import { startOwnPostgres } from "../test/scenario/private-postgres.ts";
import { start } from "../server/src/assembly/open.ts";
import { childAnswer } from "./processes/child-answer.ts";
import { atMost, fill } from "./journal.ts";
import { type Bench, format, type Row, table } from "./report.ts";

const full = { entries: 1_000_000, entities: 100_000 };
const quick = { entries: 100_000, entities: 10_000 };

export const nodeStart: Bench = async (options) => {
  const size = options.isQuick ? quick : full;
  const postgres = await startOwnPostgres({ isDurable: true });
  try {
    options.report(`writing ${format(size.entries)} entries …`);
    const place = { journal: postgres.url };
    const first = await start(place);
    await fill(first.client, size, options);
    await first.services.engine.checkpoint();
    // As a node that joins the node that wrote them.
    options.report("starting as a second node …");
    const rows = [await measure(place, `a node that joins ${format(size.entries)} entries with a checkpoint, s`, 2)];
    await first.client.close();
    options.report("starting alone …");
    const alone = `a node that starts alone on ${format(size.entries)} entries with a checkpoint, s`;
    rows.push(await measure(place, alone, 1.5));
    options.report(
      table(
        ["what", "measured", "goal", ""],
        rows.map(({ name, ours, peer, met }) => [name, format(ours, 2), format(peer), met ? "met" : "missed"]),
      ),
    );
    return rows;
  } finally {
    await postgres.stop();
  }
};

/** In a separate process, as nodes are. In this process it would also wait for the garbage collection of the writes. */
async function measure({ journal }: { readonly journal: string }, name: string, goal: number): Promise<Row> {
  return atMost(name, await childAnswer("starting-node.ts", [journal]), goal);
}
