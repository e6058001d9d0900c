import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { observedNode } from "./observed-node.ts";
import { temporaryRoot } from "./temporary-root.ts";
import { execChild } from "../scenario/spawn-child.ts";
import { rawLocks } from "../locks/raw-acquire.ts";

const folder = join(import.meta.dirname, "../../docs/operating");
const alertsFile = join(folder, "alerts.yml");

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const { groups } = parse(readFileSync(alertsFile, "utf8")) as {
  readonly groups: readonly {
    readonly name: string;
    readonly interval?: string;
    readonly rules: readonly AlertRule[];
  }[];
};
const rules = groups.flatMap((group) => group.rules);

interface DashboardPanel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number };
  readonly targets: readonly { readonly expr: string }[];
}

const dashboard = JSON.parse(readFileSync(join(folder, "dashboard.json"), "utf8")) as {
  readonly panels: readonly DashboardPanel[];
};
const shown = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

const requiredMetrics = [
  "lock_acquisitions_total",
  "lock_acquisition_duration_seconds",
  "lock_contentions_total",
  "deadlock_detections_total",
  "deadlock_retries_total",
  "version_conflicts_total",
  "version_conflict_retries_total",
  "active_locks",
].map((name) => `holdfast_${name}`);

const namesIn = (text: string): readonly string[] => text.match(/holdfast_[a-z_]+/gu) ?? [];

/** The names of all series of a server after calls of each kind. */
async function scraped(): Promise<ReadonlySet<string>> {
  await using root = await temporaryRoot();
  await using node = await observedNode({ addedServices: [root.service] });
  await node.inside.files.configure({ rootQuotas: { main: 1_000_000 } });
  const locks = rawLocks(node.client);
  const { entities, jobs } = node.client;
  await jobs.submit("mail");
  const held = await locks.acquire("a", { ownerId: "ann", ttlMs: 60_000 });
  await locks.acquire("a", { ownerId: "bob", ttlMs: 60_000, wait: true });
  await entities.create("plan", "1", {});
  assert.ok(held.granted);
  await locks.release({ fence: held.fence }, { ownerId: "ann" });
  await node.rejectCaller();
  const lines = (await node.page()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Set(lines.map((line) => line.replace(/[{ ].*/u, "")));
}

test("a scrape contains each series that an alert or the dashboard uses [B8]", async () => {
  const names = await scraped();
  const used = [...rules.map(({ expr }) => expr), ...shown].flatMap(namesIn);
  assert.ok(used.length > 30);
  assert.deepEqual(
    [...new Set(used)].filter((name) => !names.has(name)),
    [],
  );
});

test("the dashboard shows all required metrics, and no two panels have the same position [B8]", () => {
  for (const name of requiredMetrics)
    assert.ok(
      shown.some((expr) => expr.includes(name)),
      `no panel shows ${name}`,
    );
  const positions = dashboard.panels.map(({ gridPos }) => `${gridPos.x},${gridPos.y}`);
  assert.equal(new Set(positions).size, dashboard.panels.length);
});

test("the required alerts exist with their thresholds, each for five minutes, evaluated every 30 s [B8]", () => {
  const [required] = groups.filter(({ name }) => name === "holdfast-concurrency");
  assert.equal(required?.interval, "30s");
  const rule = (name: string): AlertRule => rules.find(({ alert }) => alert === `Holdfast${name}`)!;
  const expected = {
    HighLockContention: "sum by (job) (rate(holdfast_lock_contentions_total[5m])) > 10",
    FrequentDeadlocks: "sum by (job) (rate(holdfast_deadlock_detections_total[5m])) > 1",
    HighVersionConflicts: "sum by (job) (rate(holdfast_version_conflicts_total[5m])) > 20",
    SlowLockAcquisition:
      "histogram_quantile(0.95, sum by (job, le) " +
      "(rate(holdfast_lock_acquisition_duration_seconds_bucket[5m]))) > 0.5",
  };
  for (const [name, expr] of Object.entries(expected)) {
    assert.equal(rule(name).expr, expr);
    assert.equal(rule(name).for, "5m");
    assert.ok(required.rules.includes(rule(name)), name);
  }
});

test("each alert has a unique name, a summary, a description and a section in the guide", () => {
  const guide = readFileSync(join(folder, "metrics.md"), "utf8");
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, annotations, labels } of rules) {
    assert.ok(annotations.summary !== "" && annotations.description !== "", alert);
    assert.match(labels.severity, /^(warning|critical)$/u);
    assert.ok(guide.includes(`\n### ${alert}\n`), `metrics.md has no section about ${alert}`);
  }
});

test("the guide explains all metrics, and no metric that does not exist", async () => {
  const guide = readFileSync(join(folder, "metrics.md"), "utf8");
  const families = new Set([...(await scraped())].map((name) => name.replace(/_(bucket|sum|count)$/u, "")));
  assert.deepEqual(
    [...families].filter((name) => !guide.includes(`\`${name}\``)),
    [],
  );
  const explained = [...guide.matchAll(/`(holdfast_[a-z_]+)`/gu)].map((match) => match[1] ?? "");
  assert.deepEqual(
    explained.filter((name) => !families.has(name)),
    [],
  );
});

test("promtool accepts the alerts, if it is installed", async (t) => {
  try {
    const { stdout } = await execChild("promtool", ["check", "rules", alertsFile]);
    assert.match(stdout, new RegExp(`SUCCESS: ${rules.length} rules found`, "u"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    t.diagnostic("promtool is not installed (Debian: prometheus), so only the other checks ran");
  }
});
