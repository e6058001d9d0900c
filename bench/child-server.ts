/** A server in its own process, so that clients and server have a core each. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface ChildServer {
  readonly url: string;
  /** Milliseconds for which its event loop was busy since it started, and its clock. */
  readonly busy: () => Promise<{ readonly loopMs: number; readonly nowMs: number }>;
  close(): Promise<void>;
}

export async function startChild(file: string, args: readonly string[] = []): Promise<ChildServer> {
  const child = fork(join(import.meta.dirname, file), args);
  const [{ url }] = (await once(child, "message")) as [{ readonly url: string }];
  return {
    url,
    async busy() {
      const answered = once(child, "message");
      child.send("busy");
      const [answer] = (await answered) as [{ readonly loopMs: number; readonly nowMs: number }];
      return answer;
    },
    async close() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
