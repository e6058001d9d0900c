/**
 * A node that starts on a journal and reports the seconds until its first answer: `node bench/processes/starting-node.ts URL`.
 */
import { start } from "../../server/src/assembly/open.ts";
import { seconds } from "../journal.ts";

const [, , journal = ""] = process.argv;
let close: (() => Promise<void>) | undefined;
const took = await seconds(async () => {
  const { client } = await start({ journal });
  close = () => client.close();
  await client.entities.get("document", "0");
});
await close?.();
process.send?.(took);
