import type { IncomingMessage, Server } from "node:http";
import type { Clock } from "../../../base/clock.ts";

/**
 * Limits the time in which a body arrives. The server of Node has one such limit for all requests. A binary body has
 * none: it may take long, and only its sender's silence is limited.
 */
export function limitBodyTime(request: IncomingMessage, server: Server, { clock, limitMs }: BodyTimeLimit): void {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (encoding === undefined && (length === undefined || length === "0")) return;
  const late = (): void => {
    // As the server itself reports a request that is late.
    const error = Object.assign(new Error("the body is late"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
    if (!request.complete) server.emit("clientError", error, request.socket);
  };
  const cancel = clock.after(limitMs, late, { keepAlive: false });
  request.once("end", cancel).once("close", cancel);
}

interface BodyTimeLimit {
  readonly clock: Clock;
  readonly limitMs: number;
}
