// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { ContractData } from "./contract-data.ts";

/** Loads the data of a pack, by the name of the pack. */
export const packLoaders: Readonly<Record<string, () => Promise<ContractData>>> = {
  planning: async () => (await import("./planning-data.ts")).planningData,
  intents: async () => (await import("./intents-data.ts")).intentsData,
  programs: async () => (await import("./programs-data.ts")).programsData,
  jobs: async () => (await import("./jobs-data.ts")).jobsData,
};
