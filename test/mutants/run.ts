/**
 * Plants every mutant, one after the other, and shows who noticed it:
 *   npm run mutants                   all of them; writes docs/reference/mutants.md
 *   npm run mutants -- --only WORDS   those whose name holds the words; writes nothing
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { mutants as wrapped } from "../simulation/mutants.ts";
import { simulate } from "../simulation/simulation.ts";
import { allPlanted } from "./catalogue.ts";
import type { Caught } from "./catch-mutant.ts";
import { catchMutant, seedsMax } from "./catch-mutant.ts";
import { everyMutant, mutantsPage, pagePath } from "./mutants-page.ts";
import type { Row } from "./mutants-page.ts";

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });

async function catchWrapped(name: string): Promise<Caught> {
  const mutant = wrapped[name];
  for (let seed = 1; mutant !== undefined && seed <= seedsMax; seed += 1) {
    const { broken } = await simulate({ seed, steps: 500, mutant });
    if (broken !== undefined)
      return { by: `simulation: ${broken.promise}`, after: seed === 1 ? "1 seed" : `${seed} seeds` };
  }
  return undefined;
}

const rows: Row[] = [];
const wanted = everyMutant().filter(({ name }) => name.includes(values.only));
for (const { part, name } of wanted) {
  const planted = allPlanted.find((one) => one.name === name);
  const caught = await (planted === undefined ? catchWrapped(name) : catchMutant(planted));
  rows.push({ part, name, caught });
  const who =
    caught === undefined ? "NOBODY NOTICED" : `${caught.by}${caught.after === "" ? "" : `, after ${caught.after}`}`;
  console.log(`${String(rows.length).padStart(3)} of ${wanted.length}  ${name}\n             ${who}`);
}
const missed = rows.filter(({ caught }) => caught === undefined);
console.log(`${rows.length - missed.length} of ${rows.length} mutants were noticed`);
if (values.only === "") writeFileSync(pagePath, await mutantsPage(rows));
if (missed.length > 0) process.exitCode = 1;
