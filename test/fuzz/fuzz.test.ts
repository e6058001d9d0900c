/** Unexpected input, some thousand times. `npm run fuzz` runs more rounds. */
import { test } from "node:test";
import { counts } from "../prove/counts.ts";
import { runRound } from "./fuzz-rounds.ts";
import { targets } from "./targets.ts";

const firstSeed = 4_653;
/** A round that hangs fails by this timeout. */
const timeout = 120_000;

for (const { name, rounds, open } of targets) {
  test(`no input from outside crashes, blocks or confuses ${name} [P9]`, { timeout }, async () => {
    const opened = await open();
    try {
      for (let round = 0; round < counts[rounds]; round += 1) await runRound({ name, opened }, firstSeed + round);
    } finally {
      await opened.close();
    }
  });
}
