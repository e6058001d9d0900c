/** A runtime for programs that embed Holdfast: an engine on a journal and, optionally, a NATS door. */
import type { Client } from "@holdfast/sdk";
import type { Gate } from "../access/gate.ts";
import { openGate } from "../access/open-gate.ts";
import { OperatorToken, readOperatorToken } from "../access/operator-token.ts";
import { systemClock } from "../base/clock.ts";
import { systemIds } from "../base/ids.ts";
import { digestOf, newSecret } from "../base/new-secret.ts";
import { behindGate } from "./behind-gate.ts";
import type { AppServices } from "../app/app-services.ts";
import { reportToStandardError } from "./holdfast-options.ts";
import type { HoldfastOptions } from "./holdfast-options.ts";
import { openMesh } from "./mesh.ts";
import type { MeshOptions, NatsStatus } from "./mesh.ts";
import { start } from "./open.ts";
import type { JournalLocation } from "./open.ts";

export interface RuntimeOptions extends HoldfastOptions {
  /** A folder, a Postgres database (`postgres://…`) that several runtimes may share, or memory. */
  readonly journal: JournalLocation;
  /** The NATS connection; none by default. */
  readonly nats?: Omit<MeshOptions, "limits">;
  /** The operator's token, at least 32 characters. Without it no caller over NATS is the operator. */
  readonly operatorToken?: string;
}

export interface Runtime {
  /** The same interface as everywhere, in this process. */
  readonly client: Client;
  /** The status of the NATS door; undefined if there is none. */
  nats(): NatsStatus | undefined;
  /** Accepts nothing more, answers pending calls, and closes the journal. */
  close(): Promise<void>;
}

/** Assembles a runtime. If a part cannot start, none does, and the error has the reason. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const { journal, kinds = [], nats, report = reportToStandardError } = options;
  await using opened = new AsyncDisposableStack();
  const { client, services } = await start(journal, { ...options, areLocksOptIn: true });
  opened.defer(() => client.close());
  const gate = await gateOf(services, options);
  const door = nats === undefined ? undefined : await openMesh(nats, { services, gate, kinds, report });
  opened.defer(() => door?.close());
  const parts = opened.move();
  return {
    client,
    nats: () => door?.status(),
    close: () => parts.disposeAsync(),
  };
}

/** Without an operator's token no caller can have it or guess it. */
async function gateOf(services: AppServices, { operatorToken }: RuntimeOptions): Promise<Gate> {
  const token =
    operatorToken === undefined
      ? new OperatorToken(digestOf(newSecret(systemIds)))
      : await readOperatorToken({ folder: "", configured: operatorToken, ids: systemIds });
  const behind = behindGate(services, {});
  return openGate({ ...behind, operatorToken: token, requiresToken: true, clock: systemClock });
}
