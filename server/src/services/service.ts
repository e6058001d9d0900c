/**
 * A service is a part next to the engine that sends commands or follows the journal. It uses only the given clock, so a
 * test or a simulation runs it on virtual time. It may fail at any moment: what it has to do follows from the journal.
 */
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import type { EngineServices } from "../app/engine-services.ts";
import type { Clock } from "../base/clock.ts";
import type { Ids } from "../base/ids.ts";
import type { Reply } from "../engine/reply.ts";

export interface Service {
  readonly name: string;
  /** Resolves when the service runs. A restart calls it again, after `stop`. */
  start(): Promise<void>;
  /** Ends all work of the service. It is also called after a failed start. */
  stop(): Promise<void>;
  /** Details for an operator, in addition to its status. */
  health?(): JsonObject;
}

interface ServiceContext {
  readonly services: EngineServices;
  /**
   * Sends a command of Holdfast itself. The id is derived from the subject and is the key of the command. So several
   * nodes that send it produce one entry.
   */
  readonly send: (operation: string, input: Json, id: string) => Promise<Reply>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Informs the operator. */
  readonly report: (message: string, cause: unknown) => void;
  /** The running service cannot continue. It is stopped, and started again after a delay. */
  readonly fail: (cause: unknown) => void;
}

export type ServiceFactory = (context: ServiceContext) => Service;
