/** A new node on a Postgres journal that has lived for a while: how soon it is ready. */
import { startOwnPostgres } from "../test/scenario/private-postgres.ts";
import { start } from "../server/src/assembly/open.ts";
import { childAnswer } from "./child-answer.ts";
import { atMost, fill } from "./journal.ts";
import { type Bench, format, type Row, table } from "./report.ts";

const full = { entries: 1_000_000, entities: 100_000 };
const quick = { entries: 100_000, entities: 10_000 };

export const nodeStart: Bench = async (options) => {
  const size = options.isQuick ? quick : full;
  const postgres = await startOwnPostgres({ isDurable: true });
  try {
    options.say(`writing ${format(size.entries)} entries …`);
    const place = { journal: postgres.url };
    const first = await start(place);
    await fill(first.client, size, options);
    await first.services.engine.checkpoint();
    // Beside the node that wrote them, as a node that joins.
    options.say("starting beside it …");
    const rows = [await measure(place, `a node that joins ${format(size.entries)} entries with a checkpoint, s`)];
    await first.client.close();
    options.say("starting alone …");
    rows.push(await measure(place, `a node that starts alone on ${format(size.entries)} entries with a checkpoint, s`));
    options.say(
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

/** In a process of its own, as nodes are: in this one it would wait while what was written here is collected. */
async function measure({ journal }: { readonly journal: string }, name: string): Promise<Row> {
  return atMost(name, await childAnswer("starting-node.ts", [journal]), 2);
}
