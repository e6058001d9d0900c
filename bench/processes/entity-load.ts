/**
 * Writers that each change an entity through one node and wait until it is durable. Usage: node bench/processes/entity-load.ts
 * URL WRITERS.
 */
import { open } from "holdfast";
import { fillEntities, idOf, mergeOf } from "../engine-load.ts";
import { serveLoad } from "../load.ts";

const [url = "", writers = "32"] = process.argv.slice(2);

const client = await open({ journal: url });
await fillEntities(client);
let number = 0;
await serveLoad(Number(writers), async () => {
  number += 1;
  await client.entities.patch("task", idOf(number), { merge: mergeOf(number) });
});
await client.close();
