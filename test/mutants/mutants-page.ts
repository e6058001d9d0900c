/** The page about mutants: docs/reference/mutants.md. */
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { mutants as wrapped } from "../simulation/mutants.ts";
import { catalogue } from "./catalogue.ts";
import type { Caught } from "./catch-mutant.ts";
import { root } from "./catch-mutant.ts";

export const pagePath = join(root, "docs", "reference", "mutants.md");

export interface Row {
  readonly part: string;
  readonly name: string;
  readonly caught: Caught;
}

/** Every mutant there is, in the order of the page. */
export function everyMutant(): readonly { readonly part: string; readonly name: string }[] {
  const ofPlanted = Object.entries(catalogue).flatMap(([part, mutants]) => mutants.map(({ name }) => ({ part, name })));
  return [...Object.keys(wrapped).map((name) => ({ part: "Around the parts", name })), ...ofPlanted];
}

const opening = `# Mutants

This page is made by \`npm run mutants\`; do not edit it.

A test that can not fail proves nothing. So deliberate bugs are put into Holdfast, one at a time, and each must be noticed: by
seeds of the simulation, or by a test. Those of the first table are put around parts of a running simulation
(\`test/simulation/mutants.ts\`) and are part of \`npm test\`. All others replace a few words of a source file while a test loads
it (\`test/mutants/\`); the product has no switch for any of them. A mutant that nobody notices is a missing test.`;

export async function mutantsPage(rows: readonly Row[]): Promise<string> {
  const parts = [...new Set(rows.map(({ part }) => part))];
  const count = rows.filter(({ caught }) => caught !== undefined).length;
  const sections = parts.map((part) => {
    const lines = rows.filter((row) => row.part === part).map(line);
    return [`## ${part}`, ["| the bug | who noticed | after |", "| --- | --- | --- |", ...lines].join("\n")];
  });
  const text = [opening, `${count} of ${rows.length} were noticed.`, ...sections.flat()].join("\n\n");
  return format(text, { ...(await resolveConfig(pagePath)), filepath: pagePath });
}

function line({ name, caught }: Row): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  return `| ${cell(name)} | ${cell(caught?.by ?? "**nobody**")} | ${caught?.after ?? ""} |`;
}

/** The names on a page, to tell whether it is about the mutants that there are. */
export function namesOn(page: string): readonly string[] {
  return [...page.matchAll(/^\| (?!the bug|-)(.+?) +\|/gmu)].map(([, name]) => (name ?? "").trim());
}
