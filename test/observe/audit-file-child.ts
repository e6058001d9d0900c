/** A program with an audit file of small files, under load until it is killed. It ends with its parent. */
import { randomInt } from "node:crypto";
import { start } from "../../server/src/assembly/open.ts";

process.stdin.on("end", () => process.exit(1)).resume();

const [data = ""] = process.argv.slice(2);
const { client } = await start(data, { auditLog: { data, bytesMax: 8_192, filesKept: 0 } });

async function write(): Promise<void> {
  for (;;) {
    const { id } = await client.intents.create({ payload: { chairs: randomInt(9) } });
    await client.intents.transition(id, "processed");
    await client.intents.reevaluate(id, { diff: { chairs: 0 }, source: "judge", reason: "none are left" });
    await client.intents.updateMany([id], { to: "completed" });
    console.log("written");
  }
}

await Promise.all([write(), write(), write(), write()]);
