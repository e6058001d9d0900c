import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fixedStrategies, lockStrategies, strategyFor } from "@holdfast/sdk/contract";
import { onEveryTransport } from "../client/every-transport.ts";
import { folderFor, serverFor } from "../socket/with-server.ts";

const guide = readFile(join(import.meta.dirname, "..", "..", "docs", "guides", "choose-a-strategy.md"), "utf8");

/** The tree of the guide as the strategy of each of its four leaves, in their order. */
async function leavesOfTree(): Promise<readonly string[]> {
  const tree = /```\n(Can the operation[\s\S]*?)```/u.exec(await guide)?.[1] ?? "";
  return [...tree.matchAll(/ (?:yes|no): +(\w+),/gu)].map(([, strategy = ""]) => strategy);
}

/** The strategies of the guide by name, with whether operators may change them. */
async function namedStrategies(): Promise<Readonly<Record<string, readonly [strategy: string, mayChange: string]>>> {
  const rows = (await guide).matchAll(/^\| `(\w+)` +\| .*? \| (\w+) +\| (yes|no) +\|$/gmu);
  return Object.fromEntries(
    [...rows].map(([, name = "", strategy = "", mayChange = ""]) => [name, [strategy, mayChange]]),
  );
}

test("the decision tree of the strategy guide and the contract agree on all eight cases [B2 B12]", async () => {
  const rows = [...(await guide).matchAll(/^\| (yes|no) +\| (yes|no) +\| (yes|no) +\| (\w+) +\|$/gmu)];
  const cases = new Set(rows.map(([, ...cells]) => cells.slice(0, 3).join(" ")));
  assert.equal(cases.size, 8);
  const [repeatedAndContended, repeated, critical, harmless] = await leavesOfTree();
  for (const [line, ...cells] of rows) {
    const [idempotent, contended, isCritical] = cells.map((cell) => cell === "yes");
    const chosen = strategyFor({ idempotent: idempotent!, contended: contended!, critical: isCritical! });
    assert.equal(chosen, cells[3], line);
    const drawn = idempotent! ? (contended! ? repeatedAndContended : repeated) : isCritical! ? critical : harmless;
    assert.equal(chosen, drawn, line);
  }
});

test("the strategy guide has the use cases, the advantages and the costs of each strategy [B12]", async () => {
  for (const strategy of lockStrategies) {
    const title = `**${strategy.charAt(0).toUpperCase()}${strategy.slice(1)}**`;
    const section = (await guide).split(title)[1]?.split(/\*\*|\n## /u)[0] ?? "";
    assert.match(section, /- Use it for .*- Advantages?: .*- Costs?: /su, strategy);
  }
});

onEveryTransport("the strategies of the guide are the ones in force on a new server [B2 B12]", async ({ intents }) => {
  const { strategies } = await intents.listStrategies();
  const wire = Object.entries(strategies).map(([name, strategy]) => [
    name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`),
    strategy,
  ]);
  const named = Object.entries(await namedStrategies());
  assert.deepEqual(Object.fromEntries(wire), Object.fromEntries(named.map(([name, [strategy]]) => [name, strategy])));
});

test("an operator changes strategies over HTTP as the guide shows, and the fixed ones are refused [B2 B12]", async (t) => {
  const data = join(await folderFor(t), ".holdfast");
  const { url } = await serverFor(t, data);
  const token = (await readFile(join(data, "operator-token"), "utf8")).trim();
  const configure = (body: string): Promise<Response> =>
    fetch(`${url}/v1/intents/configure`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body,
    });
  assert.equal((await configure(/```json\n(.*?)```/su.exec(await guide)?.[1] ?? "")).status, 200);
  const inForce = (await (await fetch(`${url}/v1/intent-strategies`)).json()) as {
    readonly strategies: Readonly<Record<string, string>>;
    readonly lock_timeout_ms: number;
  };
  assert.deepEqual([inForce.strategies["update_payload"], inForce.lock_timeout_ms], ["pessimistic", 2_000]);
  const named = await namedStrategies();
  assert.deepEqual(
    Object.keys(named).filter((name) => named[name]?.[1] === "no"),
    [...fixedStrategies],
  );
  for (const name of fixedStrategies) {
    const refused = await configure(JSON.stringify({ settings: { strategies: { [name]: "optimistic" } } }));
    const { code } = (await refused.json()) as { readonly code: string };
    assert.deepEqual([refused.status, code], [422, "intents.strategy_fixed"]);
  }
});
