import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { Engine } from "../engine/engine.ts";
import type { Kind } from "../features/entities/kind.ts";
import type { OperationRegistry } from "../operations/registry.ts";
import type { AppOperation } from "./calls/app-operation.ts";
import { appOperations } from "./calls/app-operations.ts";
import { engineServices } from "./engine-services.ts";
import type { EngineServices } from "./engine-services.ts";

/** The services of one engine together with every operation that a caller may send. */
export interface AppServices extends EngineServices {
  readonly operations: OperationRegistry<AppOperation>;
}

export function appServices(
  engine: Engine,
  { kinds, ...options }: { readonly clock: Clock; readonly ids: Ids; readonly kinds: readonly Kind[] },
): AppServices {
  return { ...engineServices(engine, options), operations: appOperations(kinds) };
}
