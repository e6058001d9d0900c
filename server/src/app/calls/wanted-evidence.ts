import type { JsonObject } from "@holdfast/sdk/json/json";
import type { EvidenceSource } from "./app-operation.ts";

/** The evidence of a check that the decision asks for: the command is sent first, and its decision names the unit. */
export function wantedEvidence(check: string, serial: (input: JsonObject) => string): EvidenceSource {
  return {
    check,
    asksDecision: true,
    serial,
    gather: async (_input, { services, speaker, id, operation, after, wanted, signal }) => {
      if (wanted === undefined) throw new Error(`the decision of ${operation} did not name what to check`);
      const { unit, input } = wanted;
      return services.checks.prepare(
        check,
        { id, unit, operation, input, agent: speaker.agent ?? null, after },
        signal,
      );
    },
  };
}
