/**
 * Plants every mutant, one after the other, and shows who noticed it:
 *   npm run mutants                   all of them; writes docs/reference/mutants.md
 *   npm run mutants -- --only WORDS   those whose name holds the words; writes nothing
 */
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { mutants as wrapped } from "../simulation/mutants.ts";
import { simulate } from "../simulation/simulation.ts";
import { allPlanted } from "./catalogue.ts";
import type { Caught } from "./catch-mutant.ts";
import { catchMutant, seedsMax } from "./catch-mutant.ts";
import { everyMutant, mutantsPage, pagePath } from "./mutants-page.ts";
import type { Row } from "./mutants-page.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    jobs: { type: "string", default: String(availableParallelism()) },
  },
});

async function catchWrapped(name: string): Promise<Caught> {
  const mutant = wrapped[name];
  for (let seed = 1; mutant !== undefined && seed <= seedsMax; seed += 1) {
    const { broken } = await simulate({ seed, steps: 500, mutant });
    if (broken !== undefined)
      return { by: `simulation: ${broken.promise}`, after: seed === 1 ? "1 seed" : `${seed} seeds` };
  }
  return undefined;
}

const wanted = everyMutant().filter(({ name }) => name.includes(values.only));
const rows = new Array<Row | undefined>(wanted.length).fill(undefined);
let taken = 0;
let done = 0;

/** Takes one mutant after the other, beside others that do the same. Those around the parts change this very process. */
async function work(): Promise<void> {
  for (let index = taken++; index < wanted.length; index = taken++) {
    const { part, name } = wanted[index] as (typeof wanted)[number];
    const planted = allPlanted.find((one) => one.name === name);
    const caught = await (planted === undefined ? wrappedInTurn(name) : catchMutant(planted));
    rows[index] = { part, name, caught };
    done += 1;
    const after = caught === undefined || caught.after === "" ? "" : `, after ${caught.after}`;
    console.log(`${String(done).padStart(3)} of ${wanted.length}  ${name}`);
    console.log(`             ${caught === undefined ? "NOBODY NOTICED" : `${caught.by}${after}`}`);
  }
}

let lastWrapped: Promise<unknown> = Promise.resolve();
function wrappedInTurn(name: string): Promise<Caught> {
  const next = lastWrapped.then(() => catchWrapped(name));
  lastWrapped = next;
  return next;
}

await Promise.all(Array.from({ length: Number(values.jobs) }, work));
const all = rows.filter((row) => row !== undefined);
const missed = all.filter(({ caught }) => caught === undefined);
console.log(`${all.length - missed.length} of ${all.length} mutants were noticed`);
if (values.only === "") writeFileSync(pagePath, await mutantsPage(all));
if (missed.length > 0) process.exitCode = 1;
