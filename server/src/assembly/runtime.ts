/** A runtime for programs that embed Holdfast: an engine on a journal and, if wanted, its place in a mesh on NATS. */
import { packs } from "@holdfast/sdk/contract";
import type { Client } from "@holdfast/sdk";
import type { Gate } from "../access/gate.ts";
import { openGate } from "../access/open-gate.ts";
import { operatorDigestOf } from "../access/operator-token.ts";
import { systemClock } from "../base/clock.ts";
import { systemIds } from "../base/ids.ts";
import { digestOf, newSecret } from "../base/new-secret.ts";
import { StartError } from "../base/start-error.ts";
import { behindGate } from "./behind-gate.ts";
import type { EngineServices } from "../app/engine-services.ts";
import type { Engine } from "../engine/engine.ts";
import { systemPrincipal } from "../engine/timer-watch.ts";
import type { Kind } from "../features/entities/kind.ts";
import { spaceRow } from "../features/space/space-table.ts";
import { openMesh } from "./mesh.ts";
import type { MeshOptions, NatsStatus } from "./mesh.ts";
import { start } from "./open.ts";
import type { JournalPlace, OpenOptions } from "./open.ts";

/** What a runtime is made of. */
export interface RuntimeConfig {
  /** A folder, a Postgres database (`postgres://…`) that several runtimes may share, or memory. */
  readonly journal: JournalPlace;
  /** Types of entities with a schema, rules and commands of their own. */
  readonly kinds?: readonly Kind[];
  /** The mesh to take part in; none, if not given. */
  readonly nats?: Omit<MeshOptions, "limits">;
  readonly component_toggles?: ComponentToggles;
  /** Who writes through `client`: `local`, if not given. */
  readonly principal?: string;
  /** Who has it may do everything over NATS too; 32 characters at least. Without it nobody there is the operator. */
  readonly operator_token?: string;
  /** Told about what an operator should know. Standard error, if not given. */
  readonly report?: OpenOptions["report"];
}

/**
 * Parts that can be switched on and off. The switches are entries, so all runtimes of a journal have the same ones; what is
 * not named here stays as it is. What needs a part that is off does not start.
 */
export interface ComponentToggles {
  /** Off in a new journal: coordination by versions alone needs no locks. */
  readonly lock_manager?: boolean;
  /** Packs, by their names: on in a new journal. */
  readonly [pack: string]: boolean | undefined;
}

export interface Runtime {
  /** The same interface as everywhere, in this process. */
  readonly client: Client;
  /** How the mesh stands; undefined if this runtime takes part in none. */
  nats(): NatsStatus | undefined;
  /** Takes nothing more, answers what it has taken, and closes the journal. */
  close(): Promise<void>;
}

const knownToggles: readonly string[] = ["lock_manager", ...packs.map(({ name }) => name)];

/** Assembles a runtime. If a part of it can not start, none does, and the error says why. */
export async function createRuntime(config: RuntimeConfig): Promise<Runtime> {
  const { journal, kinds = [], nats, component_toggles: toggles = {}, report, principal } = config;
  const unknown = Object.keys(toggles).find((name) => !knownToggles.includes(name));
  if (unknown !== undefined) {
    throw new StartError(`component_toggles.${unknown} does not exist; there are: ${knownToggles.join(", ")}`);
  }
  const told = report === undefined ? {} : { report };
  const { lock_manager: locks, ...ofPacks } = toggles;
  const components = { isOptIn: true, ...(locks === undefined ? {} : { lock_manager: locks }) };
  const speaker = principal === undefined ? {} : { principal };
  const { client, services } = await start(journal, { kinds, ...told, ...speaker, components });
  const { engine } = services;
  try {
    await switchPacks(engine, ofPacks);
    const gate = await gateOf(services, config);
    const door = nats === undefined ? undefined : await openMesh(nats, { engine, gate, kinds, ...told });
    return {
      client,
      nats: () => door?.status(),
      async close() {
        await door?.close();
        await client.close();
      },
    };
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function switchPacks(engine: Engine, wanted: Readonly<Record<string, boolean | undefined>>): Promise<void> {
  const current = await engine.read((state) => spaceRow(state).settings.component_toggles);
  const changes = Object.entries(wanted).filter(
    ([name, isOn]) => isOn !== undefined && isOn !== (current[name] ?? true),
  );
  if (changes.length === 0) return;
  const input = { settings: { component_toggles: Object.fromEntries(changes) as Record<string, boolean> } };
  const caller = systemPrincipal;
  await engine.execute({ operation: "configure", input, principal: caller, caller, bytes: 0 });
}

/** Without an operator's token nobody has it, and nobody can guess it. */
async function gateOf(services: EngineServices, { kinds = [], operator_token: given }: RuntimeConfig): Promise<Gate> {
  const operatorDigest =
    given === undefined
      ? digestOf(newSecret(systemIds))
      : await operatorDigestOf({ folder: "", given, ids: systemIds });
  return openGate({ ...behindGate(services, { kinds }), operatorDigest, requiresToken: true, clock: systemClock });
}
