/** A server in its own process, so that clients and server have a core each. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { ServerLoad } from "./answer-load.ts";

export interface ChildServer {
  readonly url: string;
  readonly load: () => Promise<ServerLoad>;
  close(): Promise<void>;
}

export async function startChild(file: string, args: readonly string[] = []): Promise<ChildServer> {
  const child = fork(join(import.meta.dirname, file), args);
  const [{ url }] = (await once(child, "message")) as [{ readonly url: string }];
  return {
    url,
    async load() {
      const answered = once(child, "message");
      child.send("load");
      const [answer] = (await answered) as [ServerLoad];
      return answer;
    },
    async close() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
