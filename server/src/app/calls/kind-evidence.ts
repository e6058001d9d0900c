import type { Check } from "../../checks/check.ts";
import type { Kind } from "../../features/entities/kind.ts";
import { subjectOf } from "../../features/entities/entity-table.ts";
import type { EvidenceSource } from "./app-operation.ts";
import { wantedEvidence } from "./wanted-evidence.ts";

/** The module next to this layer that runs checks of kinds, as source or as built. */
const kindModule = new URL(
  `../../checks/kind-worker${/\.[jt]s$/u.exec(import.meta.url)?.[0] ?? ".js"}`,
  import.meta.url,
);

/** The checks of users' kinds. Each entity is a unit of its own, since a check may read any of them. */
export function kindChecks(kinds: readonly Kind[]): readonly Check[] {
  const modules = new Map<string, string>();
  for (const { outsideCheck } of kinds) {
    if (outsideCheck === undefined) continue;
    const { name, module } = outsideCheck;
    if ((modules.get(name) ?? module.href) !== module.href)
      throw new Error(`two checks have the name ${name}; rename one of them`);
    modules.set(name, module.href);
  }
  return Array.from(modules, ([name, module]) => ({
    name,
    under: [""],
    unit: (subject) => subject,
    within: (unit) => [unit],
    module: kindModule,
    options: { name, module },
  }));
}

/** The evidence of a change of a checked kind, by type. The decision names the value to check. */
export function kindEvidence(kinds: readonly Kind[]): ReadonlyMap<unknown, EvidenceSource> {
  return new Map(
    kinds.flatMap(({ type, outsideCheck }) =>
      outsideCheck === undefined
        ? []
        : [[type, wantedEvidence(outsideCheck.name, ({ id }) => subjectOf(type, id as string))] as const],
    ),
  );
}
