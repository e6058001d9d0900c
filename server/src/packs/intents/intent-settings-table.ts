import { defaultNumbers, defaultStrategies, fixedStrategies } from "@holdfast/sdk/contract";
import type { IntentNumbers, LockStrategy, StrategyName } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { StateReader } from "../../machine/state.ts";
import type { TableSpec } from "../../machine/table.ts";

/** The settings that an operator changed. */
interface IntentSettingsRow {
  readonly key: "settings";
  readonly strategies: Partial<Readonly<Record<StrategyName, LockStrategy>>>;
  readonly numbers: Partial<IntentNumbers>;
}

export const intentSettingsTable: TableSpec<IntentSettingsRow, never> = {
  name: "intent-settings",
  boundedBy: "one",
  key: (row) => row.key,
  sorts: {},
};

export function settingsRow(state: StateReader): IntentSettingsRow {
  return state.rows(intentSettingsTable).get("settings") ?? { key: "settings", strategies: {}, numbers: {} };
}

export function strategyOf(state: StateReader, name: StrategyName): LockStrategy {
  return settingsRow(state).strategies[name] ?? defaultStrategies[name];
}

export function intentNumbers(state: StateReader): IntentNumbers {
  return { ...defaultNumbers, ...settingsRow(state).numbers };
}

/** The settings in force, as callers see them. */
export function settingsInForce(state: StateReader): JsonObject {
  const strategies = { ...defaultStrategies, ...settingsRow(state).strategies };
  return { strategies, fixed: [...fixedStrategies], ...intentNumbers(state) };
}
