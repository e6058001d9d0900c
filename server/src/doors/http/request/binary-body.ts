import type { Readable } from "node:stream";
import type { FastifyRequest } from "fastify";
import type { Clock } from "../../../base/clock.ts";
import { httpLimits } from "../limits.ts";
import { HttpProblem } from "../response/http-problem.ts";

export const binaryType = "application/octet-stream";

/** The chunks of a binary body, read as the operation asks for them. A sender that stops sending is disconnected. */
export async function* binaryBody(request: FastifyRequest, clock: Clock): AsyncGenerator<Uint8Array, void, undefined> {
  const { body } = request;
  if (body === undefined || body === null) return;
  const stream = body as Readable;
  // Not destroyed with the iterator: the response is sent on the same connection.
  const chunks = stream.iterator({ destroyOnReturn: false });
  for (;;) {
    const stalled = (): void => void stream.destroy(new HttpProblem("request_timeout"));
    const cancel = clock.after(httpLimits.stalledMs, stalled, { keepAlive: false });
    const chunk = (await chunks.next().finally(cancel)) as IteratorResult<Uint8Array, undefined>;
    if (chunk.done === true) return;
    yield chunk.value;
  }
}
