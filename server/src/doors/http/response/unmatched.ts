import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sendProblem } from "./send.ts";

/** Answers with the allowed methods of a path, or that the route is unknown. Call it before any route is added. */
export function answerUnmatched(app: FastifyInstance): void {
  const routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();
  app.addHook("onRoute", ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: patternOf(url), methods: new Set(["OPTIONS"]) };
    for (const name of [method].flat()) route.methods.add(name);
    routes.set(url, route);
  });
  app.setNotFoundHandler((request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split("?", 1)[0] ?? "";
    const found = [...routes.values()].filter(({ pattern }) => pattern.test(path));
    if (found.length === 0) return sendProblem(reply, { code: "route_not_found", data: {}, status: 404 });
    const allow = [...new Set(found.flatMap(({ methods }) => [...methods]))].toSorted();
    // Nothing is offered to other sites: a preflight gets no header that would let a browser continue.
    if (request.method === "OPTIONS") return reply.code(204).header("allow", allow.join(", ")).send();
    return sendProblem(reply, { code: "method_not_allowed", data: { allow }, status: 405 });
  });
}

function patternOf(url: string): RegExp {
  const literal = url.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  return new RegExp(`^${literal.replaceAll(/:[a-z_]+/gu, "[^/]+")}$`, "u");
}
