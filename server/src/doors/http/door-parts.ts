import type { FastifyRequest } from "fastify";
import type { AdmittedCaller } from "../../access/gate.ts";
import type { Clock } from "../../base/clock.ts";
import type { OperationRegistry } from "../../operations/registry.ts";
import type { LongResponses } from "./response/long-responses.ts";

/** The parts that the routes of the door share. */
export interface DoorParts {
  readonly operations: OperationRegistry;
  /** The caller of a request, admitted before its body is read. */
  readonly callerOf: (request: FastifyRequest) => AdmittedCaller;
  readonly clock: Clock;
  /** The method and the URL of each route that takes a binary body. */
  readonly binaryRoutes: Set<string>;
  /** Long answers, which must end when the door closes. */
  readonly longResponses: LongResponses;
}
