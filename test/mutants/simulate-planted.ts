/**
 * Runs seeds with the planted bug until one of them breaks a promise. Prints a line of JSON before each seed, and one
 * with the broken promise.
 */
import { counts } from "../prove/counts.ts";
import { simulate } from "../simulation/simulation.ts";

const seeds = JSON.parse(process.argv[2] ?? "[]") as readonly number[];

for (const [index, seed] of seeds.entries()) {
  console.log(JSON.stringify({ tried: index + 1 }));
  const { broken } = await simulate({ seed, steps: counts.simulationSteps });
  if (broken === undefined) continue;
  console.log(JSON.stringify({ tried: index + 1, promise: broken.promise }));
  break;
}
