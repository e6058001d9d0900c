import type { Bridge, BridgeStep } from "@holdfast/sdk/bridges";

/** The bridges of the runner processes. Each one calls back, and adds one to a counter in the payload. */
export function runnerBridges(effect: (bridge: string, step: BridgeStep) => Promise<void>): readonly Bridge[] {
  const statuses = { first: "normalized", second: "processed", third: "completed" };
  return Object.entries(statuses).map(([name, to]) => ({
    name,
    execute: async ({ payload }, step) => {
      await effect(name, step);
      return { to, changes: { count: Number(payload["count"]) + 1 } };
    },
  }));
}
