/** The parts that all transports and doors of one engine share. Assembly makes one object for each engine. */
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { Engine } from "../engine/engine.ts";
import { AgentAuthenticator } from "./calls/agent-authenticator.ts";
import { EvidenceTurns } from "./calls/evidence-turns.ts";
import type { CheckRunner } from "../checks/check.ts";
import { ExpiringNotices } from "./notices/expiring-notices.ts";
import { NoticeHub } from "./notices/notice-hub.ts";
import type { NoticeSource } from "./notices/notice-source.ts";
import { PlaceNotices } from "./notices/place-notices.ts";
import { OwnerHub } from "./watch/owner-hub.ts";
import { Storage } from "../storage/storage.ts";

export interface EngineServices {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Identifies agents. The heartbeats of all clients share an entry. */
  readonly agents: AgentAuthenticator;
  /** Events by owner. All watches of owners share a subscription. */
  readonly owners: OwnerHub;
  /** Notices to owners. All listeners share a subscription. */
  readonly notices: NoticeHub;
  /** Runs checks outside the machine. */
  readonly checks: CheckRunner;
  /** The storage roots of this node. */
  readonly storage: Storage;
  /** The turns of calls that gather evidence. */
  readonly turns: EvidenceTurns;
}

interface EngineServicesOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly checks: CheckRunner;
  /** The storage roots of this node; none by default. */
  readonly storage?: Storage | undefined;
  /** The notices of packs. */
  readonly packNotices?: readonly NoticeSource[];
}

export function engineServices(engine: Engine, options: EngineServicesOptions): EngineServices {
  const { clock, ids, checks, storage = new Storage(), packNotices = [] } = options;
  const parts = { engine, clock };
  return {
    engine,
    clock,
    ids,
    agents: new AgentAuthenticator(engine, clock),
    owners: new OwnerHub(engine),
    notices: new NoticeHub(engine, (outlet) => [
      new PlaceNotices(parts, outlet),
      new ExpiringNotices(parts, outlet),
      ...packNotices,
    ]),
    checks,
    storage,
    turns: new EvidenceTurns(),
  };
}
