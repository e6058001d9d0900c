import { openGate } from "../../server/src/access/open-gate.ts";
import { OperatorToken } from "../../server/src/access/operator-token.ts";
import type { AppServices } from "../../server/src/app/app-services.ts";
import { behindGate } from "../../server/src/assembly/behind-gate.ts";
import { transportOf } from "../../server/src/assembly/open.ts";
import { observationOf } from "../../server/src/assembly/observation.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { systemIds } from "../../server/src/base/ids.ts";
import { digestOf } from "../../server/src/base/new-secret.ts";
import { openHttpDoor } from "../../server/src/doors/http/open.ts";
import { openSocketDoor } from "../../server/src/doors/socket/open.ts";
import { operatorSecret } from "../access/gated-node.ts";

/** The gate, the metrics and two doors of the product, around services that a test has changed. Closing them stops the engine. */
export async function doorsOfServices(services: AppServices) {
  await using opened = new AsyncDisposableStack();
  const inside = transportOf(services);
  opened.defer(() => inside.close());
  const reports: unknown[] = [];
  const report = (message: string, cause: unknown): void => void reports.push([message, cause]);
  const observation = observationOf({ report, version: "test" });
  opened.defer(() => observation.close());
  const gate = observation.gate(
    openGate({
      ...behindGate(services, {}),
      operatorToken: new OperatorToken(digestOf(operatorSecret)),
      requiresToken: true,
      clock: systemClock,
    }),
  );
  const parts = { gate, operations: services.operations, clock: systemClock, version: "test", report };
  const health = () => Promise.reject(new Error("unused"));
  const http = await openHttpDoor({ ...parts, host: "127.0.0.1", port: 0, health });
  opened.defer(() => http.close());
  const socket = openSocketDoor({ ...parts, ids: systemIds, hostNames: [], server: http.server });
  opened.defer(() => socket.close());
  const closing = opened.move();
  return { inside, gate, reports, url: http.url, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
