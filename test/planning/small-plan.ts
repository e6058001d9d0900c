/** A small organization for planning tests. */
import assert from "node:assert/strict";
import type { Client, HoldfastError } from "holdfast";
import { refusalOf } from "../api/refused-with.ts";

export type PlannedResource = Readonly<Record<string, unknown>> & { readonly id: string; readonly revision: string };

export async function made(client: Client, operation: string, input: object): Promise<PlannedResource> {
  return (await client.run(operation, input)) as PlannedResource;
}

/** Awaits work that must be refused with this code, and returns the refusal. */
export async function refused(code: string, work: Promise<unknown>): Promise<HoldfastError> {
  const error = await refusalOf(work);
  assert.equal(error.code, code, error.message);
  return error;
}

export interface SmallPlan {
  readonly organization: PlannedResource;
  readonly project: PlannedResource;
  readonly ann: PlannedResource;
  readonly bob: PlannedResource;
}

export async function smallPlan(client: Client): Promise<SmallPlan> {
  const organization = await made(client, "planning.create-organization", { name: "Acme" });
  const inside = { organization_id: organization.id };
  return {
    organization,
    project: await made(client, "planning.create-project", { ...inside, name: "Bridge" }),
    ann: await made(client, "planning.create-collaborator", { ...inside, name: "Ann" }),
    bob: await made(client, "planning.create-collaborator", { ...inside, name: "Bob", email: "bob@acme.example" }),
  };
}

export const day = (number: number): string => `2027-03-${String(number).padStart(2, "0")}T08:00:00Z`;

/** A mission with one assignment between two days. */
export async function staffedMission(
  client: Client,
  plan: SmallPlan,
  { name, collaborator, from, to }: { name: string; collaborator: PlannedResource; from: number; to: number },
): Promise<{ mission: PlannedResource; assignment: PlannedResource }> {
  const range = { from: day(from), to: day(to) };
  const mission = await made(client, "planning.create-mission", { project_id: plan.project.id, name, ...range });
  const assignment = await made(client, "planning.create-assignment", {
    mission_id: mission.id,
    collaborator_id: collaborator.id,
    role: "welder",
    ...range,
  });
  return { mission, assignment };
}
