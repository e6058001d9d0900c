/**
 * A follower copies every change of the type `order` into a list of its own. It keeps the cursor of the last event that it
 * applied. After a crash it continues there, without a gap and without a repeat.
 *
 * Start a server with `npm start`, then: `npx node examples/typescript/follow-events.ts`
 */
import { connect } from "holdfast";

await using holdfast = await connect();
const start = await holdfast.cursor(); // a real follower reads it from its own store

await holdfast.entities.create("order", "7", { state: "new" });
await holdfast.entities.patch("order", "7", { merge: { state: "paid" } });
await holdfast.entities.delete("order", "7");

let cursor = start;
async function follow(count: number): Promise<void> {
  let seen = 0;
  for await (const event of holdfast.watch({ after: cursor, subject: "order/7" })) {
    console.log(event.name);
    cursor = event.cursor; // store it together with what the event changed
    seen += 1;
    if (seen === count) return;
  }
}

await follow(1);
console.log("the follower restarts");
await follow(2);
