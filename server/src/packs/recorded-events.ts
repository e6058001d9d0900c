import type { Pack } from "@holdfast/sdk/contract";
import type { Feature, Fold, RestsOn } from "../machine/feature.ts";

const ignore: Fold = () => undefined;
const isUnused: RestsOn = () => false;

/** The events of a pack change no state. They are recorded for history and audit, so their data can be erased. */
export function recordedEvents({ events }: Pack): Required<Pick<Feature, "folds" | "restsOn">> {
  const types = Object.keys(events);
  return {
    folds: Object.fromEntries(types.map((type) => [type, ignore] as const)),
    restsOn: Object.fromEntries(types.map((type) => [type, isUnused] as const)),
  };
}
