import type { FastifyInstance } from "fastify";
import type { Notice, NoticeQuery } from "@holdfast/sdk/contract";
import { checkOf, membersOf, noticeQuery } from "@holdfast/sdk/contract";
import type { DoorParts } from "../door-parts.ts";
import { answerWithStream } from "../response/event-stream.ts";
import { HttpProblem } from "../response/http-problem.ts";
import { readQuery, typedValues } from "../request/read-query.ts";

const check = checkOf(noticeQuery);

/** The notices of an owner. There is no cursor: each stream starts with the current state. */
export function addNoticeRoutes(app: FastifyInstance, parts: DoorParts): void {
  app.get("/v1/notices", { exposeHeadRoute: false }, async (request, reply) => {
    const { clock, longResponses } = parts;
    if (longResponses.isClosing) throw new HttpProblem("stopping");
    const { calls } = parts.callerOf(request);
    const query = readNoticeQuery(request.url);
    const open = () => calls.notices(query);
    // A caller that may not listen gets the status.
    const refusalWindow = new Promise<void>((resolve) => clock.soon(resolve));
    await answerWithStream(reply, { open, refusalWindow, firstFields: "", bytesOf, clock, longResponses });
    return reply;
  });
}

function readNoticeQuery(url: string): NoticeQuery {
  const query = typedValues(readQuery(url), membersOf(noticeQuery));
  const issues = check(query);
  if (issues !== undefined) throw new HttpProblem("input_invalid", { issues });
  return query as NoticeQuery;
}

function bytesOf(notices: readonly Notice[]): Buffer {
  return Buffer.from(notices.map((notice) => `event: ${notice.notice}\ndata: ${JSON.stringify(notice)}\n\n`).join(""));
}
