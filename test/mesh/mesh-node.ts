/** A runtime with access to its parts: the engine, a gate with a principal for all senders, and the NATS door. */
import type { Kind } from "holdfast";
import { OperatorToken } from "../../server/src/access/operator-token.ts";
import { openGate } from "../../server/src/access/open-gate.ts";
import { systemClock } from "../../server/src/base/clock.ts";
import { digestOf } from "../../server/src/base/new-secret.ts";
import { behindGate } from "../../server/src/assembly/behind-gate.ts";
import type { NatsLimits } from "../../server/src/doors/nats/nats-limits.ts";
import type { Engine } from "../../server/src/engine/engine.ts";
import { createMemoryDisk } from "../../server/src/journal/memory/disk.ts";
import { openMemoryJournal } from "../../server/src/journal/memory/open.ts";
import { type MeshOptions, type NatsDoor, openMesh } from "../../server/src/assembly/mesh.ts";
import { servicesOf, startEngine } from "../../server/src/assembly/open.ts";

export const operatorToken = "the-operator-token-of-this-test-only";

export interface MeshNode extends AsyncDisposable {
  readonly engine: Engine;
  readonly door: NatsDoor;
  /** The warnings for the operator. */
  readonly reports: string[];
  readonly notices: string[];
}

export interface MeshNodeOptions extends Partial<MeshOptions> {
  readonly engine?: Engine;
  readonly kinds?: readonly Kind[];
}

/** An engine that is stopped at the end of its scope. */
export function scoped(engine: Engine): AsyncDisposable & { readonly engine: Engine } {
  return { engine, [Symbol.asyncDispose]: () => engine.stop() };
}

/** Short delays, so that tests run fast. */
export const quick: Partial<NatsLimits> = {
  redeliveryMs: 5,
  standbyPollMs: 50,
  publishTimeoutMs: 1_000,
  backoff: { baseMs: 10, capMs: 100 },
};

export async function startMeshNode(url: string, options: MeshNodeOptions = {}): Promise<MeshNode> {
  const { engine: given, kinds = [], limits, ...more } = options;
  const reports: string[] = [];
  const notices: string[] = [];
  const report = (message: string): void => void reports.push(message);
  const journal = openMemoryJournal(createMemoryDisk());
  const engine = given ?? (await startEngine({ journal, kinds, report }));
  const services = servicesOf(engine, { kinds });
  const gate = openGate({
    ...behindGate(services, {}),
    operatorToken: new OperatorToken(digestOf(operatorToken)),
    requiresToken: true,
    clock: systemClock,
  });
  const meshOptions = { servers: [url], principal: "mesh", limits: { ...quick, ...limits }, ...more };
  const notice = (message: string): void => void notices.push(message);
  const door = await openMesh(meshOptions, { services, gate, kinds, report, notice });
  return {
    engine,
    door,
    reports,
    notices,
    async [Symbol.asyncDispose]() {
      await door.close();
      if (given === undefined) await engine.stop();
    },
  };
}

/** The events without those that were published again. */
export function originals<Event extends { readonly headers: Readonly<Record<string, string>> }>(
  events: readonly Event[],
): readonly Event[] {
  return events.filter(({ headers }) => headers["Holdfast-Replayed"] === undefined);
}

export function positionOf({ headers }: { readonly headers: Readonly<Record<string, string>> }): string {
  return `${headers["Holdfast-Epoch"] ?? "?"}.${headers["Holdfast-Position"] ?? "?"}.${headers["Holdfast-Index"] ?? "?"}`;
}
