import assert from "node:assert/strict";
import { attack, describedRoutes } from "../http/http-attack.ts";
import { httpServer } from "../http/http-server.ts";
import type { FuzzTarget } from "./fuzz-target.ts";

/** The HTTP door, from its own description. The part of it in `npm test` is test/http/fuzz.test.ts. */
export const httpTarget: FuzzTarget = {
  name: "HTTP",
  rounds: "httpFuzz",
  open: async () => {
    const server = await httpServer();
    const places = describedRoutes();
    return {
      round: async (random) => {
        await attack(server, random.pick(places), { seed: random.bits(), requests: 20 });
        assert.deepEqual(server.reports, []);
      },
      close: () => server.close(),
    };
  },
};
