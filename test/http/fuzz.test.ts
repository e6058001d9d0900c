import assert from "node:assert/strict";
import { test } from "node:test";
import { attack, placesOf } from "./http-attack.ts";
import { httpServer } from "./http-server.ts";

/** These are always the same; `npm run fuzz` makes others for as long as it is told. */
const much = { seed: 4654, requests: 200 };

test("no request breaks the door, every answer is described, and a refusal changes nothing [P9 X8]", async () => {
  await using server = await httpServer();
  for (const place of placesOf()) await attack(server, place, much);
  assert.deepEqual(server.reports, []);
});
