import type { Environment } from "./environment.ts";

export const environment: Environment = { variable: () => undefined, writtenAddress: () => undefined };
