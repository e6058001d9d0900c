/** Publishes one version with two files, between two marks in the system calls: node trace-child.ts FOLDER. */
import { open as openFile } from "node:fs/promises";
import { open } from "holdfast";

const [folder = ""] = process.argv.slice(2);
const mark = (name: string): Promise<unknown> => openFile(`/holdfast-mark-${name}`).catch(() => undefined);

await using client = await open(folder);
{
  // The root, its target and their folders exist before the trace.
  await using first = await client.files.publish("site/docs");
  await first.write("a.txt", "before");
  await first.commit();
}
await mark("begin");
await using publish = await client.files.publish("site/docs");
await publish.write("a.txt", "first file");
await publish.write("sub/b.txt", "second file");
await publish.commit();
await mark("end");
