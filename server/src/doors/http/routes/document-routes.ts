import type { FastifyInstance, FastifyReply } from "fastify";
import { apiPage, pagePolicy } from "../openapi/api-page.ts";
import { llmsText } from "../openapi/llms-text.ts";
import { openApiDocument } from "../openapi/openapi-document.ts";

/** The API documents for programs and people. They are the same for every caller and need no token. */
export function addDocumentRoutes(app: FastifyInstance, version: string): void {
  const document = openApiDocument(version);
  const json = JSON.stringify(document);
  const page = apiPage(document);
  app.get("/openapi.json", async (_request, reply) =>
    reply.header("content-type", "application/json; charset=utf-8").send(json),
  );
  const sendPage = async (_request: unknown, reply: FastifyReply): Promise<FastifyReply> =>
    reply.header("content-type", "text/html; charset=utf-8").header("content-security-policy", pagePolicy).send(page);
  app.get("/llms.txt", async (_request, reply) =>
    reply.header("content-type", "text/plain; charset=utf-8").send(llmsText),
  );
  app.get("/", sendPage);
  app.get("/docs", sendPage);
}
