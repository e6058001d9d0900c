import { intent } from "@holdfast/sdk/contract";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { findAgent } from "../../features/agents/agent-table.ts";
import { findEntity } from "../../features/entities/entity-table.ts";
import { lastRetirement } from "../../features/entities/retire-entity.ts";
import { writeByKind } from "../../features/entities/write-by-kind.ts";
import { pathFault } from "../../features/locks/tables/path-fault.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done, refusal } from "../../machine/refusal.ts";
import { newResourceId } from "../resource-decides.ts";
import { recordEvent } from "./change-intent.ts";
import { lockRefusal } from "./guard-intent.ts";
import { refused } from "../../features/locks/rules/owner.ts";
import { intentKind } from "./intent-kind.ts";
import { intentPath } from "./intent-value.ts";
import type { IntentValue } from "./intent-value.ts";
import { strategyOf } from "./intent-settings-table.ts";
import { isRefusal, readStatus } from "./read-word.ts";

interface CreateInput {
  readonly id?: string;
  readonly payload: JsonObject;
  readonly status?: string;
  readonly technical_actor?: string;
  readonly fence?: string;
}

/** A new intent may start in any status, so that an import keeps its statuses. */
export function createIntent(input: CreateInput, context: DecideContext): Decision {
  const { id = newResourceId(intent, context), payload, fence } = input;
  const status = readStatus("status", input.status ?? "received");
  if (isRefusal(status)) return status;
  const fault = pathFault(intentPath(id));
  if (fault !== undefined) return refused("intents.id_invalid", { id, reason: fault });
  const target = fence === undefined ? { id } : { id, fence };
  const retired = input.id === undefined ? undefined : retirementFault(context, id);
  if (retired !== undefined) return retired;
  const locked = lockRefusal(context, target, strategyOf(context.state, "update_payload"));
  if (locked !== undefined) return locked;
  const value: IntentValue = {
    status,
    payload,
    technical_actor: input.technical_actor ?? callerName(context),
    correction_count: 0,
    run_count: 0,
    runs: {},
  };
  const written = writeByKind(intentKind, { target, change: { create: value as unknown as JsonObject } }, context);
  if ("outcome" in written) return written;
  const version = written.data["version"] as number;
  context.emit(recordEvent(id, { type: "intent.received", data: { status } }, { value, version }));
  return { outcome: done(written.data), events: [], attachment: written.attachment };
}

/** The findings of the application layer in the journal about the id of a new intent. */
export interface RetirementEvidence {
  /** The journal was read up to this position. */
  readonly position: number;
  readonly retired: boolean;
}

/** Refuses the id of a retired intent, which only the journal knows. The evidence must include every retirement. */
function retirementFault({ state, command }: DecideContext, id: string): Decision | undefined {
  const last = lastRetirement(state);
  if (last === undefined || findEntity(state, { type: intent.type, id }) !== undefined) return undefined;
  const evidence = command.evidence as (Json & RetirementEvidence) | undefined;
  if (evidence === undefined || evidence.position < last)
    return { outcome: refusal("check_stale"), events: [], again: true };
  return evidence.retired ? refused("intents.retired", { intent_id: id }) : undefined;
}

/** The name of the agent, else the principal. */
export function callerName({ state, command }: DecideContext): string {
  const name = command.agent === undefined ? undefined : findAgent(state, command.agent)?.name;
  return (name === undefined || name === "" ? command.principal : name).slice(0, 128);
}
