import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Calls } from "../../../operations/call.ts";
import { checkOf, membersOf, watchQuery } from "@holdfast/sdk/contract";
import type { WatchQuery } from "@holdfast/sdk/contract";
import type { DoorParts } from "../door-parts.ts";
import { answerWithStream } from "../response/event-stream.ts";
import { eventTextBytes } from "../response/event-text.ts";
import { HttpProblem } from "../response/http-problem.ts";
import { httpLimits } from "../limits.ts";
import { readQuery, typedValues } from "../request/read-query.ts";
import { Pace } from "../../pace.ts";

const check = checkOf(watchQuery);

/** Maximum time to wait for the check of a cursor before the response starts. */
const cursorMs = 250;

/** Every event as it becomes durable, without gap or repeat, also across connections. */
export function addEventRoutes(app: FastifyInstance, parts: DoorParts): void {
  const pace = new Pace(parts.clock, httpLimits.gatherMs);
  app.get("/v1/events", { exposeHeadRoute: false }, async (request, reply) => {
    if (parts.longResponses.isClosing) throw new HttpProblem("stopping");
    const { calls } = parts.callerOf(request);
    await stream(calls, { parts, pace }, request, reply);
    return reply;
  });
}

interface Shared {
  readonly parts: DoorParts;
  readonly pace: Pace;
}

async function stream(calls: Calls, shared: Shared, request: FastifyRequest, reply: FastifyReply) {
  const { clock, longResponses } = shared.parts;
  const { after: sentCursor, ...filter } = readWatchQuery(request);
  const after = sentCursor ?? (await calls.cursor());
  // The limit of watches is checked at once, and an invalid cursor is found soon. A valid one may have no event for
  // hours.
  const refusalWindow = new Promise<void>((resolve) => {
    if (sentCursor === undefined) clock.soon(resolve);
    else clock.after(cursorMs, resolve, { keepAlive: false });
  });
  // An id without data: a reader that loses the connection before the first event resumes here.
  const firstFields = `id: ${after}\n`;
  const open = () => calls.watch({ ...filter, after });
  const { pace } = shared;
  await answerWithStream(reply, {
    open,
    refusalWindow,
    firstFields,
    bytesOf: eventTextBytes,
    clock,
    longResponses,
    pace,
  });
}

function readWatchQuery(request: FastifyRequest): WatchQuery {
  const query = typedValues(readQuery(request.url), membersOf(watchQuery));
  const { names } = query;
  if (Array.isArray(names)) query["names"] = names.flatMap((name: string) => name.split(","));
  const lastEventId = request.headers["last-event-id"];
  if (lastEventId !== undefined && lastEventId !== "") query["after"] = lastEventId;
  const issues = check(query);
  if (issues !== undefined) throw new HttpProblem("input_invalid", { issues });
  return query;
}
