/**
 * The peer of entity writes is the event store of Emmett. The same changes become events of the same streams. Usage:
 * node bench/peers/emmett-load.ts URL WRITERS.
 */
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql";
import { Pool } from "pg";
import { entityCount, firstValue, idOf, mergeOf } from "../engine-load.ts";
import { serveLoad } from "../load.ts";

const [url = "", writers = "32"] = process.argv.slice(2);

// One connection per writer makes Emmett about a fifth faster than the pool's default of ten.
const pool = new Pool({ connectionString: url, max: Number(writers) });
const store = getPostgreSQLEventStore(url, { connectionOptions: { pool } });
await store.schema.migrate();
const append = (type: string, number: number, data: Record<string, unknown>) =>
  store.appendToStream(idOf(number), [{ type, data }]);
await Promise.all(Array.from({ length: entityCount }, (_, index) => append("TaskCreated", index, firstValue(index))));
let number = 0;
await serveLoad(Number(writers), async () => {
  number += 1;
  await append("TaskChanged", number, mergeOf(number));
});
await store.close();
await pool.end();
