/** Requests to planning over HTTP, as a program without a client library sends them. */
import assert from "node:assert/strict";

export type PlanningBody = Readonly<Record<string, unknown>>;

export interface PlanningReply {
  readonly status: number;
  readonly etag: string;
  readonly type: string;
  readonly replayed: string | null;
  readonly text: string;
  readonly body: PlanningBody;
}

export type PlanningHttp = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<PlanningReply>;

export function planningHttp(url: string, always: Readonly<Record<string, string>> = {}): PlanningHttp {
  return async (method, path, body, headers = {}) => {
    const isJson = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`${url}/v1/planning${path}`, {
      method,
      headers: { ...isJson, ...always, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      etag: response.headers.get("etag") ?? "",
      type: response.headers.get("content-type") ?? "",
      replayed: response.headers.get("idempotent-replayed"),
      text,
      body: (text === "" ? {} : JSON.parse(text)) as PlanningBody,
    };
  };
}

/** Asserts that the reply is a problem of this status and code, in the common form of problems. */
export function assertProblem(answer: PlanningReply, status: number, code: string): void {
  assert.equal(answer.body["code"], code, answer.text);
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.type, /^application\/problem\+json/u);
  assert.equal(answer.body["status"], status);
  assert.ok(["never", "new-key-after-read", "same-key", "later"].includes(answer.body["retry"] as string));
  assert.ok(typeof answer.body["next"] === "string" && answer.body["next"] !== "");
}

/** An organization, a project, two collaborators and a mission with one assignment. */
export async function createPlan(request: PlanningHttp): Promise<void> {
  const range = { from: "2027-03-01T08:00:00Z", to: "2027-03-05T08:00:00Z" };
  const steps: readonly (readonly [string, object])[] = [
    ["/organizations", { id: "o", name: "Acme" }],
    ["/projects", { id: "p", organization_id: "o", name: "Bridge" }],
    ["/collaborators", { id: "ann", organization_id: "o", name: "Ann" }],
    ["/collaborators", { id: "bob", organization_id: "o", name: "Bob" }],
    ["/missions", { id: "m", project_id: "p", name: "Weld", ...range }],
    ["/assignments", { id: "a", mission_id: "m", collaborator_id: "ann", role: "welder", ...range }],
  ];
  for (const [path, body] of steps) assert.equal((await request("POST", path, body)).status, 201);
}
