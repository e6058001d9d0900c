/** Removes from a reply what its caller may not read. */
import { callRefusal } from "@holdfast/sdk/call-refusal";
import type { CallReply } from "@holdfast/sdk";
import type { Call } from "../operations/call.ts";
import type { CallerRights } from "./caller-rights.ts";
import { EventVisibility } from "./event-visibility.ts";
import type { Lookups } from "./lookups.ts";
import { redactRevealedEntities } from "./redact-revealed-entities.ts";
import { redactWriteReply } from "./redact-write-reply.ts";
import type { RightsCheck } from "./rights-check.ts";
import { redactPaths } from "./redact-paths.ts";
import { redactUnknown } from "./redact-unknown.ts";

interface Redaction {
  readonly rights: CallerRights;
  readonly rightsCheck: RightsCheck;
  readonly lookups: Lookups;
}

export function redactReply({ rights, rightsCheck, lookups }: Redaction, call: Call, reply: CallReply): CallReply {
  // The paths of a ticket are known only after its grant.
  const refusal = rightsCheck.refusalOfGrant(rights, call, reply);
  if (refusal !== undefined) return callRefusal(refusal.code, refusal.data, lookups.position());
  const events = new EventVisibility(lookups).visible(rights, reply.events);
  const written = redactRevealedEntities(rights, call, redactWriteReply(rights, call, reply));
  const known = redactUnknown({ rights, lookups }, call, written);
  return { ...redactPaths(rights, known), events };
}
