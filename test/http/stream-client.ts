/** A client in its own process that sends and reads many bytes: node stream-client.ts URL TOKEN BYTES. */
import { connect } from "holdfast";
import { chunksOf } from "./stream-door.ts";

const [url = "", token = "", bytesText = "0"] = process.argv.slice(2);
const bytes = Number(bytesText);
const client = await connect(url, { token, transport: "http", retry: false });
const stored = await client.execute("store-file", { name: "g" }, { body: chunksOf(bytes) });
const { stream } = await client.execute("read-file", { name: "g" }, { acceptsStream: true });
let received = 0;
for await (const chunk of stream?.open() ?? []) received += chunk.byteLength;
await client.close();
console.log(JSON.stringify({ stored: stored.outcome.data, received }));
