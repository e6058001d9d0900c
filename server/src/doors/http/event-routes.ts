import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Transport } from "@holdfast/sdk";
import { checkOf, membersOf, watchQuery } from "@holdfast/sdk/contract";
import type { WatchQuery } from "@holdfast/sdk/contract";
import type { DoorParts } from "./door-parts.ts";
import { EventStream, beginStream } from "./event-stream.ts";
import { pageBytes } from "./event-text.ts";
import { HttpProblem } from "./http-problem.ts";
import { httpLimits } from "./limits.ts";
import { readQuery, typedValues } from "./read-query.ts";
import { Pace } from "../pace.ts";

const check = checkOf(watchQuery);

/** How long an answer waits to hear that its cursor is good, before it begins. */
const cursorMs = 250;

/** Every event as it becomes durable, without gap or repeat, also across connections. */
export function addEventRoutes(app: FastifyInstance, parts: DoorParts): void {
  const pace = new Pace(parts.clock, httpLimits.gatherMs);
  app.get("/v1/events", { exposeHeadRoute: false }, async (request, reply) => {
    if (parts.endings.isClosing) throw new HttpProblem("stopping");
    const { transport } = parts.callerOf(request);
    await stream(transport, { parts, pace }, request, reply);
    return reply;
  });
}

interface Shared {
  readonly parts: DoorParts;
  readonly pace: Pace;
}

async function stream(transport: Transport, shared: Shared, request: FastifyRequest, reply: FastifyReply) {
  const { clock, endings } = shared.parts;
  const { after: given, ...filter } = wanted(request);
  const after = given ?? (await transport.cursor());
  const pages = transport.watch({ ...filter, after });
  const first = pages.next();
  // What is wrong with a cursor is known at once; a good one may have nothing to tell for hours.
  const soon = new Promise<void>((resolve) => clock.after(cursorMs, resolve, { keepAlive: false }));
  await Promise.race([first.then(() => undefined), given === undefined ? undefined : soon]);
  // An id without data: whoever is cut off before the first event goes on from here.
  const response = beginStream(reply, `id: ${after}\n`);
  const events = new EventStream({ response, pages, first, bytesOf: pageBytes, clock, pace: shared.pace });
  const forget = endings.add(() => {
    events.stop();
  });
  void events.run().finally(forget);
}

function wanted(request: FastifyRequest): WatchQuery {
  const query = typedValues(readQuery(request.url), membersOf(watchQuery));
  const { names } = query;
  if (Array.isArray(names)) query["names"] = names.flatMap((name: string) => name.split(","));
  const last = request.headers["last-event-id"];
  if (last !== undefined && last !== "") query["after"] = last;
  const issues = check(query);
  if (issues !== undefined) throw new HttpProblem("input_invalid", { issues });
  return query;
}
