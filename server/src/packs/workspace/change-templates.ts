/** Templates, and the maps and sketches that they make. Rights decide who changes a template; it has no lock. */
import { workspaceTemplate } from "@holdfast/sdk/contract";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { defined } from "@holdfast/sdk/base/defined";
import { missing } from "../../features/entities/change.ts";
import { findEntity, isLive } from "../../features/entities/entity-table.ts";
import { refuse } from "../../features/entities/kind-refusal.ts";
import { writeAllByKind, writeByKind } from "../../features/entities/write-by-kind.ts";
import type { KindWrite } from "../../features/entities/write-by-kind.ts";
import type { Kind } from "../../features/entities/kind.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { decideUnder, refusedBy } from "./access.ts";
import type { LockProof } from "./access.ts";
import { mapKind, sketchKind, templateKind } from "./workspace-kinds.ts";
import { recordId, workspaceLimits } from "./record-place.ts";
import type { TemplateValue } from "./record-place.ts";
import { accessOf, newValue, writtenFacts } from "./write-record.ts";

interface TemplateInput {
  readonly template: string;
  readonly expected_version?: number;
  readonly expected_revision?: string;
}

function writeTemplate(context: DecideContext, input: TemplateInput, change: KindWrite["change"]): Decision {
  const { template, expected_version, expected_revision } = input;
  const target = defined({ id: template, expected_version, expected_revision });
  const written = writeByKind(templateKind, { target, change }, context);
  if ("outcome" in written) return written;
  return { outcome: done({ template, ...writtenFacts(written.data) }), events: [], attachment: {} };
}

const recordsMax = workspaceLimits.recordsPerTemplate;
const tooMany = { counted: "records of a template", limit: recordsMax };

function recordsOf({ maps }: Pick<TemplateValue, "maps">): number {
  return maps.reduce((sum, { sketches = [] }) => sum + 1 + sketches.length, 0);
}

function createTemplate(
  input: TemplateInput & TemplateValue & { readonly description?: string },
  context: DecideContext,
): Decision {
  const { name, description, maps } = input;
  if (recordsOf({ maps }) > recordsMax) return refusedBy(context, refusal("workspace.too_many", tooMany));
  return writeTemplate(context, input, { create: newValue({ name, description, maps: maps }) });
}

function updateTemplate(input: TemplateInput & { readonly changes: JsonObject }, context: DecideContext): Decision {
  const update = (current: Json) => {
    const removed = Object.entries(input.changes).filter(([, value]) => value === null);
    const merged = { ...(current as JsonObject), ...input.changes };
    const next = Object.fromEntries(
      Object.entries(merged).filter(([name]) => !removed.some(([other]) => other === name)),
    );
    return recordsOf(next as unknown as TemplateValue) > recordsMax ? refuse("too_many", tooMany) : next;
  };
  return writeTemplate(context, input, { update });
}

function deleteTemplate(input: TemplateInput, context: DecideContext): Decision {
  return writeTemplate(context, input, { delete: true });
}

interface ApplyInput extends LockProof {
  readonly project: string;
  readonly template: string;
  readonly prefix?: string;
}

/** All records of the template, or none. */
function applyTemplate(input: ApplyInput, context: DecideContext): Decision {
  const { project, template, prefix = "" } = input;
  return decideUnder(context, accessOf("workspace.apply-template", input), () => {
    const target = { type: workspaceTemplate.type, id: template };
    const row = findEntity(context.state, target);
    if (!isLive(row)) return missing(row, target);
    const { maps } = row.value as unknown as TemplateValue;
    const writes = maps.flatMap((each) => mapWrites(project, prefix, each));
    const written = writeAllByKind(writes, context);
    if ("outcome" in written) return written;
    const ids = maps.map(({ map }) => prefix + map);
    const sketches = written.length - maps.length;
    return { outcome: done({ project, maps: ids, sketches }), events: [], attachment: {} };
  });
}

function mapWrites(
  project: string,
  prefix: string,
  { map, name, sketches = [] }: TemplateValue["maps"][number],
): readonly (readonly [Kind, KindWrite])[] {
  const place = { project, map: prefix + map };
  const made: readonly [Kind, KindWrite] = [mapKind, { target: { id: recordId(place) }, change: { create: { name } } }];
  return [
    made,
    ...sketches.map(({ sketch, name: title, layer }): readonly [Kind, KindWrite] => {
      const create = newValue({ name: title, layer });
      return [sketchKind, { target: { id: recordId({ ...place, sketch }) }, change: { create } }];
    }),
  ];
}

export const changeTemplates = { createTemplate, updateTemplate, deleteTemplate, applyTemplate };
