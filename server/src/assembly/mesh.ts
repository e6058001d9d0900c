/** Assembles the NATS door: the journal that it publishes, and the gate of its commands. */
import type { Gate } from "../access/gate.ts";
import { systemClock } from "../base/clock.ts";
import { systemIds } from "../base/ids.ts";
import { StartError } from "../base/start-error.ts";
import { CopiesRemainError } from "../engine/payload-copies.ts";
import { entryFeed, epochOf, isErased, lastCommon } from "../app/watch/entry-feed.ts";
import { openNatsDoor } from "../doors/nats/open-nats-door.ts";
import type { NatsDoor } from "../doors/nats/open-nats-door.ts";
import type { NatsDoorOptions, NatsConnectionOptions } from "../doors/nats/nats-door-options.ts";
import { NatsConfigError } from "../doors/nats/nats-config-error.ts";
import type { AppServices } from "../app/app-services.ts";
import type { Kind } from "../features/entities/kind.ts";
import { reservedPrincipals } from "../features/tokens/token-table.ts";
import { reportToStandardError } from "./holdfast-options.ts";
import { kindCommandsOf } from "./open.ts";

/** The NATS connection of a node. */
export interface MeshOptions
  extends NatsConnectionOptions, Pick<NatsDoorOptions, "principal" | "replyPrefixes" | "publishAfter" | "limits"> {}

interface MeshParts {
  readonly services: AppServices;
  readonly gate: Gate;
  readonly kinds?: readonly Kind[];
  readonly report?: NatsDoorOptions["report"];
  readonly notice?: NatsDoorOptions["notice"];
}

export type { NatsDoor, NatsStatus } from "../doors/nats/open-nats-door.ts";

/** If the NATS server is unusable, the start fails. If it is unreachable, the door opens when it becomes reachable. */
export async function openMesh(options: MeshOptions, parts: MeshParts): Promise<NatsDoor> {
  const { services, gate, kinds = [], report = reportToStandardError, notice = () => undefined } = parts;
  const { engine, operations } = services;
  const fault = principalFault(options.principal);
  if (fault !== undefined) throw new StartError(fault);
  try {
    return await openNatsDoor({
      ...options,
      gate,
      operations,
      feed: {
        entries: (after) => entryFeed(engine, after),
        lastCommon: (point) => lastCommon(engine, point),
        head: () => engine.head.position,
        isErased: (position) => isErased(engine, position),
        epochAt: (position) => epochOf(engine, position),
      },
      erasures: {
        addStream: (remove) => engine.addCopies({ remove: (erasures) => remove(erasures).catch(throwCopiesRemain) }),
        resume: (published) => engine.resumeErasures(published),
      },
      kindCommands: kindCommandsOf(kinds),
      clock: systemClock,
      ids: systemIds,
      report,
      notice,
    });
  } catch (error) {
    if (error instanceof NatsConfigError) throw new StartError(error.message);
    throw error;
  }
}

function throwCopiesRemain(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new CopiesRemainError(reason, { cause: error });
}

function principalFault(principal: string | undefined): string | undefined {
  if (principal === undefined) return undefined;
  if (/^[a-z0-9][a-zA-Z0-9._@-]{0,63}$/u.test(principal) && !reservedPrincipals.includes(principal)) return undefined;
  return (
    `nats_principal cannot be "${principal}": use up to 64 letters, digits and ._@-, not starting with a capital, and ` +
    `none of ${reservedPrincipals.join(", ")}`
  );
}
