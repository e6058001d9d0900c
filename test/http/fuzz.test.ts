import assert from "node:assert/strict";
import { test } from "node:test";
import { attack, describedRoutes } from "./http-attack.ts";
import { httpServer } from "./http-server.ts";
import { counts } from "../prove/counts.ts";

/** These requests are the same in every run. `npm run fuzz` makes others. */
const amount = { seed: 4654, requests: counts.httpRequests };

test("no generated request breaks the door, every answer is described, and a refusal changes nothing [P9 X8]", async () => {
  await using server = await httpServer();
  for (const place of describedRoutes()) await attack(server, place, amount);
  assert.deepEqual(server.reports, []);
});
