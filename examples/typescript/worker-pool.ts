/**
 * Four workers share a list of tasks. Each task runs under a lock on its result, so no two workers run the same task. A
 * worker that dies loses its lock. The write presents the fence: if the lease was lost, the server refuses the write.
 *
 * Start a server with `npm start`, then: `npx node examples/typescript/worker-pool.ts`
 */
import { connect, HoldfastError } from "holdfast";

const tasks = ["resize", "translate", "index", "publish"];
await using holdfast = await connect();

async function work(name: string): Promise<void> {
  await using worker = holdfast.agent({ name });
  for (const task of tasks) {
    await using lock = await worker.tryAcquire(`result/${task}`, { purpose: `runs ${task}` });
    if (!lock.granted) continue; // another worker has it
    // `create` succeeds once, so a task that is done is not done again.
    try {
      await worker.entities.create("result", task, { by: name }, { fence: lock.fence });
      console.log(`${name} finished ${task}`);
    } catch (error) {
      if (!(error instanceof HoldfastError && error.code === "entity_exists")) throw error;
    }
  }
}

await Promise.all(["ann", "bob", "cleo", "dan"].map(work));
const { items } = await holdfast.entities.list("result");
console.log(`${items.length} of ${tasks.length} tasks are done`);
