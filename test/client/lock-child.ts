/** A program that takes a lock on a server, prints its fence, and then blocks its loop or waits for a signal. */
import { connect } from "holdfast";

/** A blocked loop does not notice the end of its input. So it compares the id of its parent, which a dead one changes. */
const parent = process.ppid;
const [url = "", name = "", blocksMs = "0", maxBlockedMs = "600000"] = process.argv.slice(2);
const client = await connect(url, { name, maxBlockedMs: Number(maxBlockedMs) });
const lock = await client.acquire("doc/1", { ttlMs: 3_000 });
// After the first renewal, the thread that renews is running.
const { expiresAt } = lock;
while (lock.expiresAt.getTime() < expiresAt.getTime() + 500) await new Promise((resolve) => void setImmediate(resolve));
console.log(`got ${lock.fence}`);
if (Number(blocksMs) > 0) {
  const end = performance.now() + Number(blocksMs);
  while (performance.now() < end) if (process.ppid !== parent) process.exit(1);
  await lock.certain();
  console.log(`${lock.state} ${lock.fence}`);
  await client.close();
}
process.stdin.resume();
