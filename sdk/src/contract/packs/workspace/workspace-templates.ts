/** Templates: maps and sketches that are made together in a project. */
import Type from "typebox";
import { limit } from "../../conditions.ts";
import { operation } from "../../operation.ts";
import type { Touch } from "../../rights.ts";
import { get, ifMatch, patch, post, remove } from "../../routes.ts";
import {
  inProject,
  recordConditions,
  recordFacts,
  recordProblems,
  underLock,
  workspaceMembers,
  workspaceName,
  workspacePage,
  workspaceText,
  writesPlace,
  writtenRecord,
} from "./workspace-members.ts";
import { templateMaps, workspaceTemplate } from "./workspace-resources.ts";

const closed = { additionalProperties: false } as const;
const { template } = workspaceMembers;
const inTemplate = { template };
const ofTemplate = ({ template: id }: { readonly template: string }): Touch => ({ paths: [`template/${id}`] });
const one = "/v1/workspace/templates/{template}";
const changeProblems = [
  "entity_not_found",
  "entity_deleted",
  "concurrency_mismatch",
  "kind_violated",
  "value_too_large",
  "space_full",
] as const;

const createTemplate = operation({
  name: "workspace.create-template",
  kind: "write",
  hasOpenReply: true,
  summary: "Creates a template: the maps and sketches that it makes.",
  input: Type.Object(
    { ...inTemplate, name: workspaceName, description: Type.Optional(workspaceText), maps: templateMaps },
    closed,
  ),
  output: writtenRecord(inTemplate),
  problems: [...changeProblems, "entity_exists", "workspace.too_many"],
  rights: [{ verbs: ["write"], touches: ofTemplate }],
  routes: [post("/v1/workspace/templates", { status: 201 })],
  example: { template: "floor", name: "A floor", maps: [{ map: "plan", name: "Plan" }] },
});

const updateTemplate = operation({
  name: "workspace.update-template",
  kind: "write",
  hasOpenReply: true,
  summary: "Changes a template. The maps that it made stay.",
  input: Type.Object(
    {
      ...inTemplate,
      changes: Type.Object(
        {
          name: Type.Optional(workspaceName),
          description: Type.Optional(Type.Union([workspaceText, Type.Null()])),
          maps: Type.Optional(templateMaps),
        },
        { ...closed, minProperties: 1 },
      ),
      ...recordConditions,
    },
    closed,
  ),
  output: writtenRecord(inTemplate),
  problems: [...changeProblems, "workspace.too_many"],
  rights: [{ verbs: ["write"], touches: ofTemplate }],
  routes: [patch(one, { ...ifMatch, patches: "changes" })],
  example: { template: "floor", changes: { name: "A floor" }, expected_revision: "1.1" },
});

const deleteTemplate = operation({
  name: "workspace.delete-template",
  kind: "write",
  hasOpenReply: true,
  summary: "Deletes a template. The maps that it made stay.",
  input: Type.Object({ ...inTemplate, ...recordConditions }, closed),
  output: writtenRecord(inTemplate),
  problems: changeProblems,
  rights: [{ verbs: ["write"], touches: ofTemplate }],
  routes: [remove(one, ifMatch)],
  example: { template: "floor", expected_revision: "1.1" },
});

const shownTemplate = Type.Object({ ...inTemplate, ...workspaceTemplate.fields, ...recordFacts }, closed);

const getTemplate = operation({
  name: "workspace.get-template",
  kind: "read",
  summary: "Reads a template.",
  input: Type.Object(inTemplate, closed),
  output: shownTemplate,
  problems: ["entity_not_found", "entity_deleted"],
  rights: [{ verbs: ["read"], touches: ofTemplate }],
  routes: [get(one)],
  example: { template: "floor" },
});

const listTemplates = operation({
  name: "workspace.list-templates",
  kind: "read",
  summary: "Lists templates, ordered by id.",
  input: Type.Object({ after: Type.Optional(template), limit: Type.Optional(limit) }, closed),
  output: workspacePage(shownTemplate),
  problems: [],
  rights: [{ verbs: ["read"], touches: () => ({ paths: ["template"] }) }],
  routes: [get("/v1/workspace/templates")],
  example: { limit: 50 },
});

const applyTemplate = operation({
  name: "workspace.apply-template",
  kind: "write",
  hasOpenReply: true,
  summary: "Makes the maps and sketches of a template in a project, all or none. The prefix is put before the map ids.",
  input: Type.Object(
    {
      ...inProject,
      ...inTemplate,
      prefix: Type.Optional(Type.String({ pattern: "^[a-z0-9][a-z0-9._-]{0,22}$" })),
      ...underLock,
    },
    closed,
  ),
  output: Type.Object(
    { ...inProject, maps: Type.Array(Type.String()), sketches: Type.Integer({ minimum: 0 }) },
    closed,
  ),
  problems: [...recordProblems, "entity_exists", "workspace.too_many"],
  rights: [...writesPlace, { verbs: ["read"], touches: ofTemplate }],
  routes: [post("/v1/workspace/projects/{project}/templates/{template}/apply")],
  example: { project: "p1", template: "floor", prefix: "west-", lock: "take" },
});

export const workspaceTemplates = [
  createTemplate,
  updateTemplate,
  deleteTemplate,
  getTemplate,
  listTemplates,
  applyTemplate,
] as const;
