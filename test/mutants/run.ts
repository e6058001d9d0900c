/**
 * Plants every mutant, one after the other, and shows what caught it:
 *   npm run mutants                   all of them; writes docs/reference/mutants.md
 *   npm run mutants -- --keep-page    all of them; writes nothing
 *   npm run mutants -- --only WORDS   those whose name contains the words; writes nothing
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { catalogue } from "./catalogue.ts";
import { catchMutant } from "./catch-mutant.ts";
import { mutantsPage, pagePath } from "./mutants-page.ts";
import type { MutantRow } from "./mutants-page.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    "keep-page": { type: "boolean", default: false },
    jobs: { type: "string", default: String(availableParallelism()) },
  },
});

const wanted = Object.entries(catalogue)
  .flatMap(([part, mutants]) => mutants.map((mutant) => ({ part, mutant })))
  .filter(({ mutant }) => mutant.name.includes(values.only));
const rows = new Array<MutantRow | undefined>(wanted.length).fill(undefined);
let next = 0;
let done = 0;

/** One of several workers: each takes the next mutant until there is none. */
async function work(): Promise<void> {
  for (let index = next++; index < wanted.length; index = next++) {
    const { part, mutant } = wanted[index] as (typeof wanted)[number];
    const caught = await catchMutant(mutant);
    rows[index] = { part, mutant, caught };
    done += 1;
    const after = caught === undefined || caught.after === "" ? "" : `, after ${caught.after}`;
    console.log(`${String(done).padStart(3)} of ${wanted.length}  ${mutant.name}`);
    console.log(`             ${caught === undefined ? `MISSED by ${mutant.caughtIn}` : `${caught.by}${after}`}`);
  }
}

await Promise.all(Array.from({ length: Number(values.jobs) }, work));
const all = rows.filter((row) => row !== undefined);
const missed = all.filter(({ caught }) => caught === undefined);
console.log(`${all.length - missed.length} of ${all.length} mutants were caught`);
if (values.only === "" && !values["keep-page"]) writeFileSync(pagePath, await mutantsPage(all));
if (missed.length > 0) process.exitCode = 1;
