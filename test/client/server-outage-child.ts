/**
 * A program that waits for an unavailable server, with a call or in the queue of a lock. Nothing else keeps it running.
 */
import { once } from "node:events";
import { connect } from "holdfast";

const [url = "", how = ""] = process.argv.slice(2);
if (how === "call") {
  const client = await connect(url);
  await client.entities.list("doc");
  console.log("ready");
  await once(process.stdin, "data");
  process.stdin.destroy();
  const answer = client.entities.list("doc");
  console.log("asked");
  await answer;
} else {
  const client = await connect(url, { reconnectMs: 1, name: "waiter" });
  await client.acquire("doc/1", { onPlace: () => console.log("ready") });
}
console.log("answered");
process.exit(0);
