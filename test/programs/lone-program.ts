/** A program that waits for a check and for nothing else. */
import { open } from "holdfast";

const client = await open({ memory: true });
await client.programs.create({ programId: "p", name: "P" });
console.log((await client.programs.verify("p")).valid);
await client.close();
