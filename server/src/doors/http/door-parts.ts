import type { FastifyRequest } from "fastify";
import type { AdmittedCaller } from "../../access/gate.ts";
import type { Clock } from "../../base/clock.ts";
import type { Endings } from "./response/endings.ts";

/** What the routes of the door share. */
export interface DoorParts {
  /** Who sends a request; it was let in before its body was read. */
  readonly callerOf: (request: FastifyRequest) => AdmittedCaller;
  readonly clock: Clock;
  /** Answers that take long, which must end when the door closes. */
  readonly endings: Endings;
}
