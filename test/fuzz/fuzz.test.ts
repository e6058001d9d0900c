/** Input that nobody expects, some thousand times; `npm run fuzz` goes on for as long as it is told. */
import { test } from "node:test";
import { runRound } from "./fuzz-rounds.ts";
import { targets } from "./targets.ts";

const firstSeed = 4_653;
/** A round that waits for ever is a fault too. */
const timeout = 120_000;

for (const { name, quickRounds, open } of targets) {
  test(`${name}: nothing that comes in from outside stops, blocks or confuses it [P9]`, { timeout }, async () => {
    const opened = await open();
    try {
      for (let round = 0; round < quickRounds; round += 1) await runRound({ name, opened }, firstSeed + round);
    } finally {
      await opened.close();
    }
  });
}
