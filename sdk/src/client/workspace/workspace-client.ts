import type { CoreClient } from "../core-client.ts";
import { workspaceData } from "../data/workspace-data.ts";
import type { Run } from "../entities-client.ts";
import type { OperationMethods } from "../operations-client.ts";
import type { WorkspaceOperations } from "../packs/workspace-operations.ts";
import type { CallOptions } from "../transport/transport.ts";
import { openMap } from "./open-map.ts";
import type { OpenedMap } from "./open-map.ts";

/** The pack `workspace`: each of its operations as a method, and `openMap`. */
export interface WorkspaceClient extends OperationMethods<WorkspaceOperations> {
  /** Opens a map for viewing: holds its read lock, and makes the addresses of its tiles. */
  readonly openMap: (project: string, map: string) => Promise<OpenedMap>;
}

interface WorkspaceHost {
  readonly run: Run;
  readonly client: Pick<CoreClient, "acquire">;
}

export function workspaceClient({ run, client }: WorkspaceHost): WorkspaceClient {
  const methods = Object.keys(workspaceData.operations).map((name) => [
    methodOf(name),
    (input: object = {}, options: CallOptions = {}) => run(name, input, options),
  ]);
  return {
    ...(Object.fromEntries(methods) as OperationMethods<WorkspaceOperations>),
    openMap: (project, map) => openMap(client, { project, map }),
  };
}

const methodOf = (operation: string): string =>
  operation
    .slice(operation.indexOf(".") + 1)
    .replaceAll(/-([a-z])/gu, (_match, letter: string) => letter.toUpperCase());
