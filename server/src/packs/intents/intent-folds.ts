/** Keeps the tables of the pack consistent with its entities and events. These folds never change. */
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { Fold } from "../../machine/feature.ts";
import type { StateWriter } from "../../machine/state.ts";
import { correctionTable, newestCorrections } from "./correction-table.ts";
import { intentRowOf, intentTable } from "./intent-table.ts";
import { intentSettingsTable, settingsRow } from "./intent-settings-table.ts";
import { intentType } from "./intent-value.ts";
import { intentsLimits } from "./intents-limits.ts";

const prefix = `${intentType}/`;

/** The entity itself is already folded: features fold in the order of their needs. */
const updateIntentRow: Fold = (state, { subject }) => {
  if (!subject.startsWith(prefix)) return;
  const id = subject.slice(prefix.length);
  const row = intentRowOf(state, id);
  if (row === undefined) state.rows(intentTable).delete(id);
  else state.rows(intentTable).put(row);
};

/** A new intent of the same id must not find the corrections of a deleted one. A retired one leaves the state whole. */
const deleteIntentRow: Fold = (state, event, entry) => {
  updateIntentRow(state, event, entry);
  if (event.subject.startsWith(prefix)) deleteCorrections(state, event.subject.slice(prefix.length));
};

function deleteCorrections(state: StateWriter, intent: string): void {
  const corrections = state.rows(correctionTable);
  for (const row of newestCorrections(state, intent, intentsLimits.corrections))
    corrections.delete(correctionTable.key(row));
}

const separator = "/corrections/";

export function correctionSubject(intent: string, correction: string): string {
  return `${prefix}${intent}${separator}${correction}`;
}

/** The intent and the correction that a subject names. */
export function correctionOf(subject: string): { readonly intent: string; readonly id: string } {
  const end = subject.lastIndexOf(separator);
  return { intent: subject.slice(prefix.length, end), id: subject.slice(end + separator.length) };
}

/** The subject names everything, so the fold needs no data and the payload can be erased. */
const keepCorrection: Fold = (state, { subject }, { position, time }) => {
  const { intent, id } = correctionOf(subject);
  const number = (newestCorrections(state, intent, 1)[0]?.number ?? 0) + 1;
  state.rows(correctionTable).put({ intent, id, number, position, time });
};

const changeSettings: Fold = (state, { data }) => {
  const { strategies = {}, ...numbers } = (data as { readonly settings: JsonObject }).settings;
  const row = settingsRow(state);
  state.rows(intentSettingsTable).put({
    ...row,
    strategies: { ...row.strategies, ...(strategies as object) },
    numbers: { ...row.numbers, ...numbers },
  });
};

export const intentFolds: Readonly<Record<string, Fold>> = {
  "entity.created": updateIntentRow,
  "entity.replaced": updateIntentRow,
  "entity.merged": updateIntentRow,
  "entity.patched": updateIntentRow,
  "entity.deleted": deleteIntentRow,
  "entity.retired": deleteIntentRow,
  "intent.correction_kept": keepCorrection,
  "intents.configured": changeSettings,
};
