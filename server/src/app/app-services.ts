import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { Check, CheckRunner } from "../checks/check.ts";
import type { Engine } from "../engine/engine.ts";
import type { Kind } from "../features/entities/kind.ts";
import type { OperationRegistry } from "../operations/registry.ts";
import type { Storage } from "../storage/storage.ts";
import type { AppOperation } from "./calls/app-operation.ts";
import { appOperations } from "./calls/app-operations.ts";
import { kindChecks } from "./calls/kind-evidence.ts";
import { engineServices } from "./engine-services.ts";
import type { EngineServices } from "./engine-services.ts";
import { allPacks } from "./packs/all-packs.ts";
import { packNotices } from "./packs/pack-notices.ts";

/** The services of one engine together with every operation that a caller may send. */
export interface AppServices extends EngineServices {
  readonly operations: OperationRegistry<AppOperation>;
}

interface AppServicesOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly kinds: readonly Kind[];
  readonly checks: CheckRunner;
  readonly storage?: Storage | undefined;
}

export function appServices(engine: Engine, { kinds, ...options }: AppServicesOptions): AppServices {
  const notices = packNotices(allPacks);
  return { ...engineServices(engine, { ...options, packNotices: notices }), operations: appOperations(kinds) };
}

/** The checks of packs and kinds. */
export function allChecks(kinds: readonly Kind[]): readonly Check[] {
  return [...allPacks.flatMap(({ checks = [] }) => checks), ...kindChecks(kinds)];
}
