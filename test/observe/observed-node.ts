import { createClient } from "@holdfast/sdk";
import type { CallOptions, Client } from "@holdfast/sdk";
import { systemClock } from "../../server/src/base/clock.ts";
import type { Calls } from "../../server/src/operations/call.ts";
import { openObservation } from "../../server/src/assembly/observation.ts";
import { admitLatest } from "../../server/src/access/gate.ts";
import { openLog } from "../../server/src/observe/log.ts";
import type { LogLevel } from "../../server/src/observe/log-level.ts";
import { checkedTransport } from "../access/checked-transport.ts";
import { clientOf, servicesOf, startEngine, doorCallsOf } from "../../server/src/assembly/open.ts";
import type { ServiceFactory } from "../../server/src/services/service.ts";
import { ServiceKeeper } from "../../server/src/services/service-keeper.ts";
import type { Engine } from "../../server/src/engine/engine.ts";
import type { Journal } from "../../server/src/journal/journal.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { orderKind } from "../ground/checked-node.ts";

export interface ObservedNode extends AsyncDisposable {
  readonly engine: Engine;
  /** A client behind the gate, as at a door. */
  readonly client: Client;
  /** A client without the gate, as in an embedding program. */
  readonly inside: Client;
  readonly lines: string[];
  /** Makes the gate reject a caller. */
  rejectCaller(): Promise<void>;
  execute(operation: string, input: unknown, options?: CallOptions): Promise<unknown>;
  /** The value of one series: `holdfast_calls_total{door="http",…}`. */
  metric(series: string): Promise<number | undefined>;
  page(): Promise<string>;
}

const idleService: ServiceFactory = () => ({
  name: "idle",
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
});

/** An engine in memory with metrics and a log, assembled as in `serve`. */
export async function observedNode(
  options: {
    readonly journal?: Journal;
    readonly level?: LogLevel;
    readonly addedServices?: readonly ServiceFactory[];
  } = {},
): Promise<ObservedNode> {
  const { journal = openMemoryJournal(createMemoryDisk()), level = "debug", addedServices = [] } = options;
  const lines: string[] = [];
  const log = openLog({ level, format: "json", write: (line) => lines.push(line), clock: systemClock });
  const observation = openObservation({ log, clock: systemClock, version: "1.2.3" });
  const { onBatch, report } = observation;
  const kinds = [orderKind];
  const engine = await startEngine({ journal, kinds, report, onBatch });
  const services = servicesOf(engine, { kinds, checkObserver: observation.checkObserver, report });
  const keeper = new ServiceKeeper([idleService, ...addedServices], { services, report });
  await keeper.start();
  observation.follow(engine, () => keeper.status());
  observation.followChecks(() => services.checks.status(), services.checks.names);
  const calls = doorCallsOf(services, {})({ principal: "ann", caller: "c1" }) as Calls;
  let isOpen = true;
  const gate = observation.gate({
    refresh: () => Promise.resolve(false),
    noteRejection: () => undefined,
    admit: () =>
      isOpen ? { principal: "ann", isOperator: false, calls } : { code: "not_allowed", data: { reason: "closed" } },
  });
  const credentials = { isLoopback: true, connection: "c1", door: "http" } as const;
  const admitted = gate.admit(credentials);
  if ("code" in admitted) throw new Error("the gate rejected the caller");
  const client = createClient(checkedTransport(admitted.calls));
  const page = (): Promise<string> => observation.metricsText();
  return {
    ...{ engine, client, lines, page },
    inside: clientOf(services, { caller: "c2" }),
    async rejectCaller() {
      isOpen = false;
      await admitLatest(gate, credentials);
    },
    execute: (operation, input, call) => client.execute(operation, input, call),
    async metric(series) {
      const line = (await page()).split("\n").find((text) => text.startsWith(`${series} `));
      return line === undefined ? undefined : Number(line.slice(series.length + 1));
    },
    async [Symbol.asyncDispose]() {
      await keeper.stop();
      await client.close();
      observation.close();
    },
  };
}
