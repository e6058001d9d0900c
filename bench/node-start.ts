/** A new node on a Postgres journal that has lived for a while: how soon it is ready. */
import { startOwnPostgres } from "../test/scenario/private-postgres.ts";
import { type Running, start } from "../server/src/server.ts";
import { atMost, fill, seconds } from "./journal.ts";
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
    await first.engine.checkpoint();
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

async function measure(place: { readonly journal: string }, name: string): Promise<Row> {
  let running: Running | undefined;
  const took = await seconds(async () => {
    running = await start(place);
    await running.client.entities.get("document", "0");
  });
  await running?.client.close();
  return atMost(name, took, 2);
}
