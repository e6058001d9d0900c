/** Starts runner processes, and checks the intent and its effects after all of them. */
import assert from "node:assert/strict";
import { once } from "node:events";
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
  /** Kills it, and waits until it is gone. */
  readonly kill: () => Promise<void>;
}

export interface RunnerOptions {
  readonly urls: readonly string[];
  readonly id: string;
  readonly file: string;
  readonly point?: string;
  /** The lease of its lock; one second by default. */
  readonly ttlMs?: number;
}

export function startRunner(t: TestContext, options: RunnerOptions): RunnerProcess {
  const { urls, id, file, point = "none", ttlMs = 1_000 } = options;
  const words = [program, urls.join(","), id, file, String(ttlMs), point];
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
    kill: async () => {
      const isGone = once(child, "exit");
      child.kill("SIGKILL");
      await isGone;
    },
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

/** The names of the bridges, in the order of their effects. */
export async function effectsOf(file: string): Promise<readonly string[]> {
  const effects = (await readFile(file, "utf8")).trim().split("\n");
  return effects.map((effect) => effect.split(" ")[0] ?? "");
}

/** The positions of the entries that say that a step is done. */
export async function donePositions(client: Client, id: string, step: string): Promise<readonly number[]> {
  const { items } = await client.entities.history("intent", id, { limit: 500 });
  const done = items.filter(
    ({ event, data }) =>
      event === "evt.intent.bridge_completed" && (data as { readonly bridge: string }).bridge === step,
  );
  return done.map(({ position }) => position);
}
