/**
 * A process that holds a program and reports the heap bytes of each of its nodes on the main thread:
 * `node --expose-gc bench/processes/program-holder.ts FOLDER`. It is a separate process so that nothing else is in the heap.
 */
import { start } from "../../server/src/assembly/open.ts";
import { addFunctions, leafText } from "../program-node.ts";

const [, , folder = ""] = process.argv;
const programId = "held";
const running = await start(folder, {});
const { programs, agents } = running.client;

/** The newest entries stay in memory up to a bound. These entries take their place before both measurements. */
const noteCount = 24_000;

async function keptBytes(): Promise<number> {
  const notes = Array.from({ length: 100 }, (_, index) =>
    running.client.entities.create("note", String(index), {}).catch(() => undefined),
  );
  await Promise.all(notes);
  for (let note = 0; note < noteCount; note += 100)
    await Promise.all(
      notes.map((_, index) => running.client.entities.replace("note", String(index), { note: note + index })),
    );
  await running.services.engine.checkpoint();
  if (globalThis.gc === undefined)
    throw new Error("Run node with --expose-gc: without it the result would include garbage.");
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

await programs.create({ programId, name: programId });
const { agentId, secret } = await agents.register({ name: "author" });
const author = running.client.as({ agentId, secret });
const add = (from: number, count: number): Promise<readonly string[]> =>
  addFunctions(
    author,
    programId,
    Array.from({ length: count }, (_, index) => leafText(`leaf_${from + index}`, index)),
  );
const nodes = async (): Promise<number> => (await programs.get(programId)).counts.nodes;

const firstCount = 1_000;
await add(0, firstCount);
const [before, nodesBefore] = [await keptBytes(), await nodes()];
await add(firstCount, 3_000);
const bytes = ((await keptBytes()) - before) / ((await nodes()) - nodesBefore);
await running.client.close();
process.send?.(bytes);
