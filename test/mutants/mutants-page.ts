/** The page about mutants: docs/reference/mutants.md. */
import { join } from "node:path";
import { formatText } from "../../tools/format-text.ts";
import { catalogue } from "./catalogue.ts";
import { root } from "./catch-mutant.ts";
import type { MutantCatch } from "./catch-mutant.ts";
import type { PlantedMutant } from "./planted-mutant.ts";

export const pagePath = join(root, "docs", "reference", "mutants.md");

export interface MutantRow {
  readonly part: string;
  readonly mutant: PlantedMutant;
  readonly caught: MutantCatch;
}

const missed = "**missed**";

const opening = `# Mutants

This page is written by \`npm run mutants\`. Do not edit it.

A test that cannot fail proves nothing. So deliberate bugs are planted in Holdfast, one at a time, and a test or seeds of the
simulation must catch each of them. A mutant replaces a few words of a source file while a test loads it (\`test/mutants/\`).
The product has no switch for any of them. A mutant that is missed is a missing test.

The last column names the smaller command that catches the mutant. \`npm run prove -- mutants\` tries all of them, each with the
counts of the command that it names.`;

export async function mutantsPage(rows: readonly MutantRow[]): Promise<string> {
  const parts = [...new Set(rows.map(({ part }) => part))];
  const caught = rows.filter((row) => row.caught !== undefined).map(({ mutant }) => mutant);
  const sections = parts.map((part) => {
    const lines = rows.filter((row) => row.part === part).map(line);
    const head = ["| the bug | caught by | after | in |", "| --- | --- | --- | --- |"];
    return [`## ${part}`, [...head, ...lines].join("\n")];
  });
  const text = [opening, sumLine(caught, rows.length), ...sections.flat()].join("\n\n");
  return formatText(pagePath, text);
}

function sumLine(caught: readonly PlantedMutant[], count: number): string {
  const inTest = caught.filter(({ caughtIn }) => caughtIn === "npm test");
  return `${caught.length} of ${count} were caught, ${inTest.length} of them by what \`npm test\` runs.`;
}

function line({ mutant, caught }: MutantRow): string {
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  const [by, after] = [caught?.by ?? missed, caught?.after ?? ""];
  return `| ${[mutant.name, by, after, `\`${mutant.caughtIn}\``].map(cell).join(" | ")} |`;
}

/** Why the page is not the one that `npm run mutants` would write; undefined if it may be. */
export function pageFault(page: string): string | undefined {
  const again = "run npm run mutants";
  if (page.includes(missed))
    return `docs/reference/mutants.md lists a mutant that was missed: fix its test, then ${again}`;
  const names = [...page.matchAll(/^\| (?!the bug|-)(.+?) +\|/gmu)].map(([, name]) => (name ?? "").trim());
  const all = Object.values(catalogue).flat();
  const expected = all.map(({ name }) => name);
  const isComplete = JSON.stringify(names) === JSON.stringify(expected) && page.includes(sumLine(all, all.length));
  if (isComplete) return undefined;
  return `docs/reference/mutants.md lists other mutants than test/mutants/catalogue.ts: ${again}`;
}
