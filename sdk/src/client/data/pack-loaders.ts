// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { ContractData } from "./contract-data.ts";

/** Loads the module of a pack, by the name of the pack. The data is all that it exports. */
export const packLoaders: Readonly<Record<string, () => Promise<Readonly<Record<string, ContractData>>>>> = {
  planning: () => import("./planning-data.ts"),
  intents: () => import("./intents-data.ts"),
  programs: () => import("./programs-data.ts"),
  jobs: () => import("./jobs-data.ts"),
  files: () => import("./files-data.ts"),
  workspace: () => import("./workspace-data.ts"),
};
