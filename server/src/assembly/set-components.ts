/** Sets the switches of components by entries, where they differ from the options. */
import { defined } from "@holdfast/sdk/base/defined";
import { packs } from "@holdfast/sdk/contract";
import { StartError } from "../base/start-error.ts";
import type { Engine } from "../engine/engine.ts";
import { systemPrincipal } from "../engine/timer-watch.ts";
import { areLocksConfigured, lockSettings } from "../features/locks/tables/settings.ts";
import { spaceRow } from "../features/space/space-table.ts";
import { needsOf } from "../packs/pack-off.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { ComponentToggles, HoldfastOptions } from "./holdfast-options.ts";

const knownToggles: readonly string[] = ["lock_manager", ...packs.map(({ name }) => name)];

export function refuseUnknownToggles(toggles: ComponentToggles = {}): void {
  const unknown = Object.keys(toggles).find((name) => !knownToggles.includes(name));
  if (unknown === undefined) return;
  throw new StartError(`component_toggles.${unknown} does not exist; the known ones are: ${knownToggles.join(", ")}`);
}

export interface ComponentOptions extends Pick<HoldfastOptions, "component_toggles" | "kinds"> {
  /** Switches the lock manager off in a journal without a switch for it, unless the options switch it on. */
  readonly areLocksOptIn?: boolean;
}

/** Throws if a kind or a pack needs a component and it is off. */
export async function setComponents(engine: Engine, options: ComponentOptions): Promise<void> {
  const { component_toggles: { lock_manager: locks, ...packToggles } = {}, kinds = [] } = options;
  const isOn = await switchLocks(engine, locks, options.areLocksOptIn === true);
  const blockedKind = isOn ? undefined : kinds.find(({ needsLocks }) => needsLocks);
  if (blockedKind !== undefined) {
    throw new StartError(
      `the kind ${blockedKind.type} needs the lock manager, but component_toggles.lock_manager is off: ` +
        "switch it on, or remove the kind",
    );
  }
  await refuseUnmetNeeds(engine, packToggles, isOn);
  await switchPacks(engine, packToggles);
}

/** A pack that is switched on explicitly must have all that it needs. A pack without a switch is off until it has. */
async function refuseUnmetNeeds(
  engine: Engine,
  options: Readonly<Record<string, boolean | undefined>>,
  areLocksOn: boolean,
): Promise<void> {
  const recorded = await engine.read((state) => spaceRow(state).settings.component_toggles);
  const toggles: Readonly<Record<string, boolean>> = { ...recorded, ...defined(options), lock_manager: areLocksOn };
  for (const { name } of packs) {
    const off = toggles[name] === true ? unmetNeed(name, toggles) : undefined;
    if (off === undefined) continue;
    throw new StartError(
      `the pack ${name} needs ${off}, but component_toggles.${off} is off: switch it on, or remove component_toggles.${name}`,
    );
  }
}

/** The first component that is off among those that a component needs, directly or not. */
function unmetNeed(component: string, toggles: Readonly<Record<string, boolean>>): string | undefined {
  for (const need of needsOf(component)) {
    const off = toggles[need] === false ? need : unmetNeed(need, toggles);
    if (off !== undefined) return off;
  }
  return undefined;
}

async function switchLocks(engine: Engine, option: boolean | undefined, areOptIn: boolean): Promise<boolean> {
  const { isOn, isSet } = await engine.read((state) => ({
    isOn: lockSettings(state).isOn,
    isSet: areLocksConfigured(state),
  }));
  const isFirst = areOptIn && !isSet;
  const toggle = option ?? (isFirst ? false : isOn);
  if (toggle !== isOn || isFirst) await configure(engine, "configure-locks", { lock_manager: toggle });
  return toggle;
}

async function switchPacks(engine: Engine, options: Readonly<Record<string, boolean | undefined>>): Promise<void> {
  const current = await engine.read((state) => spaceRow(state).settings.component_toggles);
  const changes = Object.entries(options).filter(
    ([name, isOn]) => isOn !== undefined && isOn !== (current[name] ?? true),
  );
  if (changes.length === 0) return;
  const toggles = Object.fromEntries(changes) as Record<string, boolean>;
  await configure(engine, "configure", { settings: { component_toggles: toggles } });
}

async function configure(engine: Engine, operation: string, input: JsonObject): Promise<void> {
  const caller = systemPrincipal;
  await engine.execute({ operation, input, principal: caller, caller, bytes: 0 });
}
