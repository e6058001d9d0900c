/** Runs seeds, with whatever bug is planted, until one of them notices. Prints the seed and the broken promise as JSON. */
import { simulate } from "../simulation/simulation.ts";

const seedsMax = Number(process.argv[2]);

for (let seed = 1; seed <= seedsMax; seed += 1) {
  const { broken } = await simulate({ seed, steps: 500 });
  if (broken === undefined) continue;
  console.log(JSON.stringify({ seed, promise: broken.promise }));
  break;
}
