import { fixedStrategies, lockStrategies } from "@holdfast/sdk/contract";
import type { StrategyName } from "@holdfast/sdk/contract";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { operatorOnly } from "../../features/operator-only.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { refused } from "../../features/locks/rules/owner.ts";
import { settingsInForce } from "./intent-settings-table.ts";
import { isRefusal, readWord } from "./read-word.ts";

interface ConfigureInput {
  readonly settings: JsonObject & { readonly strategies?: Readonly<Record<string, string>> };
}

/** Changes the settings. Decisions read them, so they are part of the history. */
export function configureIntents({ settings }: ConfigureInput, context: DecideContext): Decision {
  const denied = operatorOnly(context);
  if (denied !== undefined) return denied;
  const { strategies = {}, ...numbers } = settings;
  const read: Record<string, string> = {};
  for (const [name, text] of Object.entries(strategies)) {
    if (fixedStrategies.includes(name as StrategyName)) return refused("intents.strategy_fixed", { strategy: name });
    const strategy = readWord(lockStrategies, `strategies.${name}`, { text, fallback: "none" });
    if (isRefusal(strategy)) return strategy;
    read[name] = strategy;
  }
  const data = { settings: { ...numbers, strategies: read } };
  context.emit({ type: "intents.configured", subject: "intents", data });
  return { outcome: done(settingsInForce(context.state)), events: [] };
}
