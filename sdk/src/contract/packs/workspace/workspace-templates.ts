/** Templates: maps and sketches that are made together in a project. A change needs a right and no lock. */
import Type from "typebox";
import { operation } from "../../operation.ts";
import type { Touch } from "../../rights.ts";
import { post } from "../../routes.ts";
import {
  describedChanges,
  inProject,
  recordProblems,
  underLock,
  workspaceMembers,
  writesPlace,
} from "./workspace-members.ts";
import { recordList, recordOperations } from "./record-operations.ts";
import { templateMaps, workspaceTemplate } from "./workspace-resources.ts";

const closed = { additionalProperties: false } as const;
const { template } = workspaceMembers;
const inTemplate = { template };
const ofTemplate = ({ template: id }: { readonly template: string }): Touch => ({ paths: [`template/${id}`] });
const all = "/v1/workspace/templates";
const changeProblems = [
  "entity_not_found",
  "entity_deleted",
  "concurrency_mismatch",
  "kind_violated",
  "value_too_large",
  "space_full",
] as const;

const templates = recordOperations({
  name: "template",
  ids: inTemplate,
  created: workspaceTemplate.fields,
  changes: { ...describedChanges, maps: Type.Optional(templateMaps) },
  shown: workspaceTemplate.fields,
  proof: {},
  deleted: {},
  routes: { all, one: `${all}/{template}` },
  summaries: {
    create: "Creates a template: the maps and sketches that it makes.",
    update: "Changes a template, and not the maps that it made",
    delete: "Deletes a template. The maps that it made stay.",
    get: "Reads a template.",
  },
  problems: {
    create: [...changeProblems, "entity_exists", "workspace.too_many"],
    update: [...changeProblems, "workspace.too_many"],
    delete: changeProblems,
    get: ["entity_not_found", "entity_deleted"],
  },
  rights: {
    write: [{ verbs: ["write"], touches: ofTemplate }],
    read: [{ verbs: ["read"], touches: ofTemplate }],
  },
  examples: {
    ids: { template: "floor" },
    created: { name: "A floor", maps: [{ map: "plan", name: "Plan" }] },
    changes: { name: "A floor" },
    proof: {},
    deleted: {},
  },
});

const listTemplates = recordList({
  name: "templates",
  summary: "Lists templates, ordered by id.",
  parent: {},
  after: template,
  item: templates.shown,
  proof: {},
  route: all,
  problems: [],
  rights: [{ verbs: ["read"], touches: () => ({ paths: ["template"] }) }],
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
  templates.create,
  templates.update,
  templates.remove,
  templates.get,
  listTemplates,
  applyTemplate,
] as const;
