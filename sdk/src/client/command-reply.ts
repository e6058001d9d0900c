import { callRefusal } from "./call-refusal.ts";
import type { HttpOptions } from "./transport/http-options.ts";
import type { CallReply } from "./transport/transport.ts";

/** A complete reply, or a problem with the request itself, which then became no command. */
export type CommandReply = CallReply | ({ readonly code: string } & Readonly<Record<string, unknown>>);

export function commandReplyOf(response: CommandReply): CallReply {
  if ("outcome" in response) {
    const { outcome, position, replayed, events } = response as CallReply;
    return { outcome, position, replayed, events };
  }
  const { code, ...data } = response;
  return callRefusal(code, data);
}

/** The reply to a request that failed. */
export function failedReply(error: unknown, nodes: HttpOptions["nodes"]): CallReply {
  return callRefusal(wasNeverSent(error) ? "unreachable" : "outcome_unknown", nodes.failure(reasonOf(error)));
}

function causeOf(error: unknown): { readonly code?: unknown; readonly message?: unknown } {
  return (error as { readonly cause?: object }).cause ?? {};
}

export function reasonOf(error: unknown): string {
  const { code, message } = causeOf(error);
  return typeof code === "string" ? code : typeof message === "string" ? message : "no server answers there";
}

/** Browsers do not report why a request failed. It may have arrived. */
export function wasNeverSent(error: unknown): boolean {
  return ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"].includes(
    String(causeOf(error).code),
  );
}
