/** The result of a separate process, for measurements that must not share a heap or a core with other work. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Runs a file of this folder that sends one message and ends. */
export async function childAnswer(
  file: string,
  args: readonly string[],
  execArgv: readonly string[] = [],
): Promise<number> {
  const child = fork(join(import.meta.dirname, file), args, { execArgv: [...execArgv] });
  const ended = once(child, "exit");
  let answer: number | undefined;
  child.on("message", (sent: number) => {
    answer = sent;
    child.disconnect();
  });
  await ended;
  if (answer === undefined) throw new Error(`${file} ended without an answer`);
  return answer;
}
