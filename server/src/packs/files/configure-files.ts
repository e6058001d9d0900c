/** The settings of files, and roots that an operator clears. */
import { defined } from "@holdfast/sdk/base/defined";
import type { JsonObject } from "@holdfast/sdk/json/json";
import { refused } from "../../features/locks/rules/owner.ts";
import { operatorOnly } from "../../features/operator-only.ts";
import type { DecideContext, Decision } from "../../machine/feature.ts";
import { done } from "../../machine/refusal.ts";
import { fileSettings } from "./file-settings.ts";
import { fileLimits, quotaTable, rootTable } from "./file-tables.ts";

type Quotas = Readonly<Record<string, number | null>>;

interface ConfigureInput extends JsonObject {
  readonly root_quotas?: Quotas;
  readonly quotas?: Quotas;
}

export function configureFiles(input: ConfigureInput, context: DecideContext): Decision {
  const { root_quotas: rootQuotas = {}, quotas = {}, ...given } = input;
  const forbidden = operatorOnly(context);
  if (forbidden !== undefined) return forbidden;
  const { state, emit } = context;
  const roots = state.rows(rootTable);
  const unknown = Object.keys(rootQuotas).find((root) => roots.get(root) === undefined);
  if (unknown !== undefined)
    return refused("files.root_unknown", {
      root: unknown,
      roots: roots.scan("root", { limit: 1_000 }).map(({ root }) => root),
    });
  const known = state.rows(quotaTable);
  const added = Object.entries(quotas).filter(([under, max]) => max !== null && known.get(under) === undefined);
  const limit = fileLimits.quotasMax;
  if (known.size + added.length > limit) return refused("files.quotas_full", { limit });
  const settings = { ...fileSettings(state), ...given };
  emit({ type: "files.configured", subject: "files", data: { settings, root_quotas: rootQuotas, quotas } });
  return { outcome: done(settings), events: [], attachment: {} };
}

interface ClearInput {
  readonly root: string;
  readonly forget_id?: boolean;
}

export function clearRoot({ root, forget_id: forgetId }: ClearInput, context: DecideContext): Decision {
  const forbidden = operatorOnly(context);
  if (forbidden !== undefined) return forbidden;
  const { state, emit } = context;
  const rows = state.rows(rootTable);
  if (rows.get(root) === undefined)
    return refused("files.root_unknown", { root, roots: rows.scan("root", { limit: 1_000 }).map((row) => row.root) });
  emit({ type: "files.root_cleared", subject: `root/${root}`, data: defined({ root, forget_id: forgetId }) });
  return { outcome: done({ root }), events: [], attachment: {} };
}
