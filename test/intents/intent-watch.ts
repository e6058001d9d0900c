/**
 * The intents of a journal, derived from the events of its entries alone, and the invariants of every entry. The property
 * test and the simulation use it.
 */
import { defaultStrategies } from "@holdfast/sdk/contract";
import { mergePatch } from "../../server/src/features/entities/json/merge-patch.ts";
import type { Entry, Event } from "../../server/src/machine/entry.ts";
import type { IntentValue } from "../../server/src/packs/intents/intent-value.ts";
import type { Json } from "../../sdk/src/json/json.ts";
import { LockView } from "../simulation/lock-view.ts";
import { checkChange, checkRecord, checkState } from "./check-intents.ts";
import type { IntentVersion, IntentWitness, WatchedIntent } from "./watched-intent.ts";

const prefix = "intent/";
const separator = "/corrections/";

export class IntentWatch {
  readonly intents = new Map<string, WatchedIntent>();
  /** The version of each intent. */
  readonly versions = new Map<string, number>();
  view = new LockView();
  strategies: Readonly<Record<string, string>> = defaultStrategies;

  /** The intents whose run has not ended. */
  get open(): readonly WatchedIntent[] {
    return [...this.intents.values()].filter(({ value }) => value.open_run !== undefined);
  }

  append(entries: readonly Entry[], witness: IntentWitness): void {
    for (const entry of entries) {
      const versions: IntentVersion[] = [];
      for (const event of entry.events) {
        const version = this.#apply(event);
        if (version !== undefined) {
          versions.push(version);
          checkChange(this, { entry, version }, witness);
        } else this.#note(event, versions, entry, witness);
        this.view.apply(event, entry);
      }
      for (const version of versions) checkRecord(entry, version, witness);
      for (const intent of this.intents.values()) checkState(this.view, entry, intent, witness);
    }
  }

  /** The journal was rolled back to these entries. */
  goBack(entries: readonly Entry[]): void {
    this.intents.clear();
    this.versions.clear();
    this.view = new LockView();
    this.strategies = defaultStrategies;
    const silent = { demand: () => undefined, log: () => undefined, faults: { count: () => undefined } };
    this.append(entries, silent);
  }

  #apply({ type, subject, data }: Event): IntentVersion | undefined {
    if (!subject.startsWith(prefix) || !type.startsWith("entity.") || type === "entity.conflict") return undefined;
    const id = subject.slice(prefix.length);
    const before = this.intents.get(id);
    const after = type === "entity.deleted" || type === "entity.retired" ? undefined : nextIntent(id, before, data);
    if (after === undefined) this.intents.delete(id);
    else this.intents.set(id, after);
    const { name, version } = data as { readonly name?: string; readonly version: number };
    this.versions.set(id, version);
    return { before, after, version, name, records: [] };
  }

  /** An audit event belongs to the version that it names. */
  #note(event: Event, versions: readonly IntentVersion[], entry: Entry, witness: IntentWitness): void {
    const { type, subject, data } = event;
    if (type === "intents.configured") {
      const { strategies } = data["settings"] as { readonly strategies: Readonly<Record<string, string>> };
      this.strategies = { ...this.strategies, ...strategies };
    }
    if (!subject.startsWith(prefix) || !type.startsWith("intent.")) return;
    const [id = "", correction] = subject.slice(prefix.length).split(separator);
    const detail = (): string => `${JSON.stringify(event)} at position ${entry.position}`;
    if (correction !== undefined) {
      const { corrections } = this.intents.get(id) ?? { corrections: new Set<string>() };
      witness.demand(!corrections.has(correction), "a correction of an intent is applied once", detail);
      corrections.add(correction);
      return;
    }
    const version = versions.findLast(
      ({ before, after, version: number }) => (after ?? before)?.id === id && number === data["version"],
    );
    witness.demand(version !== undefined, "an audit event describes a version of its entry", detail);
    version?.records.push(event);
  }
}

function nextIntent(id: string, before: WatchedIntent | undefined, data: Event["data"]): WatchedIntent {
  const whole = data["value"] as unknown as IntentValue | undefined;
  if (before === undefined || whole !== undefined)
    return {
      id,
      value: whole as IntentValue,
      corrections: new Set(),
      completions: new Map(),
      ends: new Set(),
    };
  const value = mergePatch(before.value as unknown as Json, data["merge"] as Json) as unknown as IntentValue;
  return { ...before, value };
}
