/** Starts runner processes, and checks the intent and its effects after all of them. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import type { TestContext } from "node:test";
import type { Client } from "holdfast";
import { spawnChild } from "../scenario/spawn-child.ts";

const program = new URL("runner-child.ts", import.meta.url).pathname;

export interface RunnerProcess {
  /** The next line of its output. */
  readonly line: () => Promise<string>;
  readonly signal: (name: "SIGKILL" | "SIGSTOP" | "SIGCONT") => void;
}

export interface RunnerOptions {
  readonly urls: readonly string[];
  readonly id: string;
  readonly file: string;
  readonly point?: string;
}

export function startRunner(t: TestContext, { urls, id, file, point = "none" }: RunnerOptions): RunnerProcess {
  const words = [program, urls.join(","), id, file, point];
  const child = spawnChild(process.execPath, words, { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    line: async () => {
      const next = await lines.next();
      if (next.done === true) throw new Error(`the runner for ${point} exited without output`);
      return next.value;
    },
    signal: (name) => void child.kill(name),
  };
}

/** Each step is done once in Holdfast. Its effect outside happened at least once, always under the same key. */
export async function assertRun(client: Client, id: string, file: string): Promise<void> {
  const { status, payload, run } = await client.intents.get(id);
  assert.deepEqual([status, payload["count"], run?.state, run?.number], ["completed", 3, "completed", 1]);
  const { items } = await client.entities.history("intent", id, { limit: 500 });
  const completed = items.filter(({ event }) => event === "evt.intent.bridge_completed");
  assert.deepEqual(
    completed.map(({ data }) => (data as { readonly bridge: string }).bridge),
    ["third", "second", "first"],
  );
  const effects = (await readFile(file, "utf8")).trim().split("\n");
  const keys = new Map<string, Set<string>>();
  for (const effect of effects) {
    const [bridge = "", key = ""] = effect.split(" ");
    keys.set(bridge, (keys.get(bridge) ?? new Set()).add(key));
  }
  assert.deepEqual([...keys.keys()], ["first", "second", "third"]);
  for (const used of keys.values()) assert.equal(used.size, 1, effects.join("\n"));
}
