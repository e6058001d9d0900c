/**
 * A program that runs a pipeline of three bridges on one intent. Each bridge appends its key and try to a file before it
 * ends, as an effect outside of Holdfast. At the point that the test names, the program reports it and waits for its end.
 */
import { appendFileSync, fsyncSync, openSync } from "node:fs";
import { connect } from "holdfast";
import { runnerBridges } from "./runner-bridges.ts";

const [url = "", id = "", file = "", ttlMs = "", point = "none"] = process.argv.slice(2);
const effects = openSync(file, "a");
const client = await connect(url.split(","), { name: `runner ${process.pid}` });

const reach = async (name: string): Promise<void> => {
  if (name !== point) return;
  console.log(`at ${name}`);
  await new Promise(() => undefined);
};

const bridges = runnerBridges(async (bridge, { key, tried, signal }) => {
  signal.addEventListener("abort", () => {
    console.log(`aborted ${String((signal.reason as { readonly code?: string }).code)}`);
  });
  await reach(`in ${bridge}`);
  appendFileSync(effects, `${bridge} ${key} ${tried}\n`);
  fsyncSync(effects);
  await reach(`after ${bridge}`);
});

await reach("before run");
const pipeline = await client.intents.bridges(bridges, { name: "orders", ttlMs: Number(ttlMs) });
try {
  const { status, run } = await pipeline.execute(id, { waitMs: 60_000 });
  console.log(`ended ${status} ${String(run?.takeovers)}`);
  await reach("after the last");
} catch (error) {
  console.log(`failed ${String((error as { readonly code?: string }).code)}`);
}
await client.close();
