import { packs } from "@holdfast/sdk/contract";
import type { Pack } from "@holdfast/sdk/contract";
import { lockSettings } from "../features/locks/tables/settings.ts";
import { spaceRow } from "../features/space/space-table.ts";
import type { Refusal } from "../machine/entry.ts";
import { refusal } from "../machine/refusal.ts";
import type { StateReader } from "../machine/state.ts";

/** The refusal of every operation of a pack that is off; undefined if the pack is on. */
export function packOff(state: StateReader, pack: Pack): Refusal | undefined {
  const toggle = offToggle(state, pack.name);
  return toggle === undefined ? undefined : refusal(`${pack.name}.off`, { toggle: `component_toggles.${toggle}` });
}

/**
 * The switch that keeps a component off: its own, or that of a component that it needs. Undefined if it is on. A pack
 * without a switch is on while everything that it needs is on.
 */
function offToggle(state: StateReader, component: string): string | undefined {
  if (component === "lock_manager") return lockSettings(state).isOn ? undefined : component;
  if (spaceRow(state).settings.component_toggles[component] === false) return component;
  for (const need of needsOf(component)) {
    const off = offToggle(state, need);
    if (off !== undefined) return off;
  }
  return undefined;
}

/** The direct needs of a component. A component that does not exist is a mistake in a pack. */
export function needsOf(component: string): readonly string[] {
  if (component === "lock_manager") return [];
  const pack = packs.find(({ name }) => name === component);
  if (pack === undefined) throw new Error(`no component is named ${component}`);
  return pack.needs ?? [];
}
