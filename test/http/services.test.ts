import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceFactory } from "../../server/src/services/service.ts";
import { httpServer } from "./http-server.ts";

test("services start before the doors open, stop after the doors close and before the engine, and show in health and metrics", async () => {
  const steps: string[] = [];
  let url = "";
  const isServed = (): Promise<boolean> =>
    fetch(`${url}/health/live`).then(
      () => true,
      () => false,
    );
  const recorder: ServiceFactory = ({ send }) => ({
    name: "recorder",
    start() {
      steps.push(`start, url "${url}"`);
      return Promise.resolve();
    },
    async stop() {
      const { outcome } = await send("create-entity", { type: "note", id: "last", value: {} }, "last-note");
      steps.push(`stop, served ${String(await isServed())}, wrote ${outcome.kind}`);
    },
    health: () => ({ recorded: steps.length }),
  });
  const broken: ServiceFactory = () => ({
    name: "broken",
    start: () => Promise.reject(new Error("no such folder")),
    stop: () => Promise.resolve(),
  });
  await using server = await httpServer({ addedServices: [recorder, broken] });
  ({ url } = server);
  const { status, body } = await server.request("GET", "/health");
  assert.equal(status, 200, "a failing service does not make the node unready");
  const services = body["services"] as {
    readonly recorder: object;
    readonly broken: { readonly restarts: number };
  };
  assert.deepEqual(services.recorder, { ready: true, reasons: [], restarts: 0, details: { recorded: 1 } });
  // The keeper starts a failed service again, a moment later each time.
  const { restarts } = services.broken;
  assert.deepEqual(services.broken, { ready: false, reasons: ["no such folder"], restarts });
  const { text } = await server.request("GET", "/metrics");
  assert.match(text, /^holdfast_service_up\{service="recorder"\} 1$/mu);
  assert.match(text, /^holdfast_service_up\{service="broken"\} 0$/mu);
  assert.match(text, /^holdfast_service_restarts_total\{service="broken"\} \d+$/mu);
  assert.ok(server.reports.some((report) => String((report as unknown[])[0]).includes("service broken failed")));
  await server.close();
  assert.deepEqual(steps, ['start, url ""', "stop, served false, wrote done"]);
});
