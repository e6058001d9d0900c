import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import { spawnChild } from "../scenario/spawn-child.ts";

const program = new URL("worker-child.ts", import.meta.url).pathname;

interface WorkerProcess {
  /** The next line of its output. */
  readonly line: () => Promise<string>;
  /** Lets a waiting job end. */
  readonly go: () => void;
  readonly signal: (name: "SIGKILL" | "SIGSTOP" | "SIGCONT") => void;
}

/** A worker in a process of its own, which offers two slots. It ends with the test. */
export async function startWorkerProcess(t: TestContext, url: string, type: string): Promise<WorkerProcess> {
  const child = spawnChild(process.execPath, [program, url, type], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const next = await lines.next();
    if (next.done === true) throw new Error(`the worker of ${type} exited`);
    return next.value;
  };
  const works = await line();
  if (works !== "works") throw new Error(works);
  return { line, go: () => void child.stdin.write("go\n"), signal: (name) => void child.kill(name) };
}
