/**
 * Pages of a list that hides rows from its caller. The cursor is an item of the page, because the name of a hidden row would
 * show that it exists. So a page is filled across any number of hidden rows, in steps between which other calls run.
 */
import { done } from "../../machine/refusal.ts";
import type { StateReader } from "../../machine/state.ts";
import type { JsonObject } from "@holdfast/sdk/json/json";
import type { RunOutcome } from "../calls/run-outcome.ts";
import type { EngineServices } from "../engine-services.ts";

/** Maximum rows of one step. */
const stepRows = 1_000;

/** The result of one step. */
interface ListStep {
  readonly shown: readonly { readonly cursor: string; readonly item: JsonObject }[];
  /** The last examined row if others may follow. It may be hidden. */
  readonly examined: string | undefined;
}

interface ShownPage {
  readonly after: string | undefined;
  readonly limit: number;
  readonly step: (state: StateReader, from: { readonly after: string | undefined; readonly rows: number }) => ListStep;
}

export async function shownPage(
  { engine }: Pick<EngineServices, "engine">,
  { after: start, limit, step }: ShownPage,
): Promise<RunOutcome> {
  const shown: ListStep["shown"][number][] = [];
  let after = start;
  do {
    const from = { after, rows: stepRows };
    const found = await engine.scan((state) => step(state, from));
    shown.push(...found.shown);
    after = found.examined;
  } while (shown.length <= limit && after !== undefined);
  const page = shown.slice(0, limit);
  const next = shown.length > limit ? (page.at(-1)?.cursor ?? null) : null;
  return done({ items: page.map(({ item }) => item), next });
}
