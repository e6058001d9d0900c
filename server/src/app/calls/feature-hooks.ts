import type { OperationHooks } from "./app-operation.ts";
import { erasePayload } from "./hooks/erase-payload.ts";
import { heartbeat } from "./hooks/heartbeat.ts";
import { rotateOperatorToken } from "./hooks/rotate-operator-token.ts";
import { withAgentSecret, withTokenSecret } from "./hooks/with-secret.ts";

/** The hooks of features, by operation. Every other write is decided by the machine alone. */
export const featureHooks: Readonly<Record<string, OperationHooks>> = {
  "register-agent": withAgentSecret,
  "create-token": withTokenSecret,
  "rotate-token": withTokenSecret,
  "rotate-operator-token": rotateOperatorToken,
  heartbeat,
  "erase-payload": erasePayload,
};
