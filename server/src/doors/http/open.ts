/**
 * The HTTP door. It asks the gate to admit the caller, reads the request, calls the operation, and turns the reply into
 * a response. It decides nothing, so every promise of a transport holds through it.
 */
import type { Server } from "node:http";
import Fastify from "fastify";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { allowedHostsOf, foreignRequest, unsupportedBody } from "../../access/foreign-request.ts";
import type { AdmittedCaller, Gate } from "../../access/gate.ts";
import type { Clock } from "../../base/clock.ts";
import type { OperationRegistry } from "../../operations/registry.ts";
import { addCommandRoutes } from "./routes/command-routes.ts";
import { addDocumentRoutes } from "./routes/document-routes.ts";
import type { DoorParts } from "./door-parts.ts";
import { LongResponses } from "./response/long-responses.ts";
import { answerBrokenRequest, answerErrors, answerFrameworkError } from "./response/errors.ts";
import type { Report } from "./response/errors.ts";
import { addHealthRoutes } from "./routes/health-routes.ts";
import { addEventRoutes } from "./routes/event-routes.ts";
import { addNoticeRoutes } from "./routes/notice-routes.ts";
import type { HealthOptions } from "./routes/health-routes.ts";
import { HttpProblem } from "./response/http-problem.ts";
import { OperatorListener } from "./operator-listener.ts";
import { httpLimits } from "./limits.ts";
import type { ClientLimits } from "./limits.ts";
import { addStreamRoutes } from "./routes/stream-routes.ts";
import { binaryType } from "./request/binary-body.ts";
import { limitBodyTime } from "./request/limit-body-time.ts";
import { addOperationRoutes } from "./routes/operation-routes.ts";
import { addProgramRoutes } from "./routes/program-routes.ts";
import { RequestsInFlight } from "./request/requests-in-flight.ts";
import { plainHeaders } from "./response/send.ts";
import { answerUnmatched } from "./response/unmatched.ts";
import { admitCaller } from "./request/admit-caller.ts";

export type { Health } from "./routes/health-routes.ts";

interface HttpDoorOptions extends HealthOptions {
  readonly host: string;
  readonly port: number;
  readonly gate: Gate;
  readonly operations: OperationRegistry;
  readonly clock: Clock;
  readonly report: Report;
  readonly version: string;
  /** Host names of the server, in addition to those of loopback. */
  readonly hostNames?: readonly string[];
  readonly limits?: Partial<ClientLimits>;
}

export interface HttpDoor {
  readonly url: string;
  /** The socket door listens on the same port. */
  readonly server: Server;
  /** Serves the same routes on a Unix socket, for the operator. */
  listenOnSocket(path: string): Promise<Server>;
  /** Every served method and path: `GET /health`. */
  readonly routes: readonly string[];
  /** Ends long answers, answers requests in flight, and closes the port. */
  close(): Promise<void>;
}

export async function openHttpDoor(options: HttpDoorOptions): Promise<HttpDoor> {
  const { requestMs } = { ...httpLimits, ...options.limits };
  const app = createApp(options.report, options.limits);
  const callers = new WeakMap<FastifyRequest, AdmittedCaller>();
  const longResponses = new LongResponses();
  const routes: string[] = [];
  app.addHook("onRoute", ({ method, path }) => {
    for (const name of [method].flat()) routes.push(`${name} ${path.replaceAll(/:([a-z_]+)/gu, "{$1}")}`);
  });
  // The port is known when the server listens. No request arrives before that.
  let allowed = allowedHostsOf(options.port);
  const binaryRoutes = new Set<string>();
  const parts: DoorParts = {
    ...options,
    binaryRoutes,
    longResponses,
    callerOf: (request) => knownCaller(callers, request),
  };
  answerUnmatched(app);
  answerErrors(app, options.report);
  const inFlight = new RequestsInFlight();
  const operator = new OperatorListener(app);
  app.addHook("onRequest", async (request, reply) => {
    inFlight.add(reply.raw);
    for (const [name, value] of Object.entries(plainHeaders)) reply.header(name, value);
    const { url, headersDistinct: headers } = request.raw;
    const isBinary = binaryRoutes.has(`${request.method} ${request.routeOptions.url ?? ""}`);
    if (!isBinary) limitBodyTime(request.raw, app.server, { clock: options.clock, limitMs: requestMs });
    const origin = { method: request.method, url, headers, isBinary };
    const foreign = operator.has(request.raw.socket) ? unsupportedBody(origin) : foreignRequest(origin, allowed);
    if (foreign !== undefined) throw new HttpProblem(foreign.code, foreign.data);
    // Before the body is read: a rejected caller must not make the server read a megabyte. The route decides, because
    // the same URL may also be absolute or percent-encoded.
    if (request.routeOptions.url?.startsWith("/v1/") === true)
      callers.set(request, await admitCaller(options.gate, request));
  });
  addRoutes(app, options, parts);
  await using opened = new AsyncDisposableStack();
  opened.defer(() => app.close());
  const url = await app.listen({ host: options.host, port: options.port });
  allowed = allowedHostsOf(portOf(app.server), options.hostNames);
  opened.move();
  return {
    url,
    server: app.server,
    routes,
    listenOnSocket: (path) => operator.listen(path),
    async close() {
      longResponses.closeAll();
      const closing = app.close();
      operator.close();
      // A client that does not read its answer is not awaited, nor is one that merely keeps its connection open.
      const closeConnections = (): void => {
        app.server.closeAllConnections();
        operator.closeAllConnections();
      };
      const cancel = options.clock.after(httpLimits.closeMs, closeConnections, { keepAlive: true });
      await inFlight.drained();
      closeConnections();
      await closing;
      cancel();
    },
  };
}

function addRoutes(app: FastifyInstance, options: HttpDoorOptions, parts: DoorParts): void {
  addHealthRoutes(app, options);
  addDocumentRoutes(app, options.version);
  addCommandRoutes(app, parts);
  addStreamRoutes(app, parts);
  addOperationRoutes(app, parts);
  addProgramRoutes(app, parts);
  addEventRoutes(app, parts);
  addNoticeRoutes(app, parts);
}

function createApp(report: Report, given: Partial<ClientLimits> = {}): FastifyInstance {
  const limits = { ...httpLimits, ...given };
  const app = Fastify({
    bodyLimit: httpLimits.bodyBytesMax,
    // Each body has its own limit: see limitBodyTime.
    requestTimeout: 0,
    keepAliveTimeout: httpLimits.keepAliveMs,
    maxRequestsPerSocket: httpLimits.requestsPerConnectionMax,
    forceCloseConnections: "idle",
    http: {
      maxHeaderSize: httpLimits.headerBytesMax,
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    // An id of 256 characters may have 12 percent-encoded bytes per character.
    routerOptions: { maxParamLength: 4_096 },
    clientErrorHandler: answerBrokenRequest,
    frameworkErrors: (error, _request, reply) => {
      answerFrameworkError(error, reply, report);
    },
  });
  // Bodies are bytes here. Only the project's own parser reads them as JSON.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    done(null, body);
  });
  // A binary body is not read here. Its operation reads it.
  app.addContentTypeParser(binaryType, (_request, payload, done) => {
    done(null, payload);
  });
  return app;
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the door has no port");
  return address.port;
}

function knownCaller(callers: WeakMap<FastifyRequest, AdmittedCaller>, request: FastifyRequest): AdmittedCaller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error(`no caller was admitted for ${request.url}`);
  return caller;
}
