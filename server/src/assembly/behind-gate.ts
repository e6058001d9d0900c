/** The gate's access to the engine. The gate itself does not depend on the engine. */
import { defined } from "@holdfast/sdk/base/defined";
import type { KnownToken, Lookups, OwnedPaths } from "../access/lookups.ts";
import type { GateOptions } from "../access/open-gate.ts";
import type { FailedAuthentication, RefusedAttempt } from "../access/refusal-notes.ts";
import { isSameDigest } from "../base/new-secret.ts";
import type { AppServices } from "../app/app-services.ts";
import type { Engine } from "../engine/engine.ts";
import { agentTable, findAgent } from "../features/agents/agent-table.ts";
import { findGrant } from "../features/locks/guard-write.ts";
import { publishTable } from "../packs/files/file-tables.ts";
import { endedJobTable, jobPath, jobTable } from "../packs/jobs/job-tables.ts";
import { scheduleTable } from "../packs/jobs/schedule-tables.ts";
import { ownerTable, ticketTable } from "../features/locks/tables/lock-tables.ts";
import { findSecret, unknownPrincipal } from "../features/tokens/token-table.ts";
import { doorCallsOf } from "./open.ts";
import type { SpeakerOptions } from "./open.ts";
import { TokenChanges } from "./token-changes.ts";

export function behindGate(
  services: AppServices,
  options: Pick<SpeakerOptions, "requiresAgentSecret" | "operatorRotation">,
): Pick<GateOptions, "callsOf" | "lookups" | "record"> {
  const { engine } = services;
  return {
    callsOf: doorCallsOf(services, options),
    lookups: lookupsOf(engine),
    record: {
      refused: (attempt) => {
        recordRefusal(engine, attempt);
      },
      rejected: (failure) => {
        recordRejection(engine, failure);
      },
    },
  };
}

function lookupsOf(engine: Engine): Lookups {
  const changes = new TokenChanges(engine);
  return {
    refresh: () => engine.catchUp().then(() => engine.isShared),
    isReady: () => engine.peek(() => true) === true,
    now: () => engine.now(),
    position: () => engine.head.position,
    token: (digest) =>
      tokenOf(
        engine.peek((state) => findSecret(state, digest)),
        digest,
      ),
    grant: (fence) => ownedOf(engine.peek((state) => findGrant(state, fence))),
    ticket: (ticket) => ownedOf(engine.peek((state) => state.rows(ticketTable).get(ticket))),
    agentTotal: () => engine.peek((state) => state.rows(agentTable).size) ?? 0,
    agentCount: (principal) =>
      engine.scan(
        (state) =>
          state
            .rows(agentTable)
            .scan("registered", { limit: Infinity })
            .filter((row) => row.principal === principal).length,
      ),
    onTokensChanged: (callback) => changes.onChange(callback),
    pathsOf: ({ kind, id }) => {
      if (kind === "publish") {
        const publish = engine.peek((state) => state.rows(publishTable).get(id));
        return publish === undefined ? [] : [publish.target];
      }
      const job = engine.peek((state) =>
        kind === "schedule"
          ? state.rows(scheduleTable).get(id)
          : (state.rows(jobTable).get(id) ?? state.rows(endedJobTable).get(id)),
      );
      return job === undefined ? [] : [jobPath(job.type)];
    },
    ownerPrincipal: (owner) => engine.peek((state) => state.rows(ownerTable).get(owner))?.principal,
    principalOf: (agent) => engine.peek((state) => findAgent(state, agent))?.principal,
  };
}

/** Found by its digest, and compared once more in constant time. */
function tokenOf(found: ReturnType<typeof findSecret>, digest: string): KnownToken | undefined {
  if (found === undefined) return undefined;
  const { row, validUntil } = found;
  if (isSameDigest(row.secretHash, digest)) return row;
  const isPrevious = row.previous !== undefined && isSameDigest(row.previous.secretHash, digest);
  return isPrevious ? { principal: row.principal, allow: row.allow, expiresAt: validUntil } : undefined;
}

function ownedOf(
  row: { readonly owner: string; readonly paths: readonly { readonly path: string }[] } | undefined,
): OwnedPaths | undefined {
  return row === undefined ? undefined : { owner: row.owner, paths: row.paths.map(({ path }) => path) };
}

/** Not awaited: the refused caller gets its reply at once, and the engine reports a failing journal. */
function recordRefusal(engine: Engine, attempt: RefusedAttempt): void {
  const { principal, agent, operation, reason, unrecorded } = attempt;
  const input = defined({ operation, reason, unrecorded: unrecorded === 0 ? undefined : unrecorded });
  void engine.execute({ operation: "note-refusal", input, principal, agent, caller: principal, bytes: 0 });
}

function recordRejection(engine: Engine, { door, code, unrecorded }: FailedAuthentication): void {
  const input = defined({ door, code, unrecorded: unrecorded === 0 ? undefined : unrecorded });
  const from = { principal: unknownPrincipal, caller: unknownPrincipal, bytes: 0 };
  void engine.execute({ operation: "note-rejection", input, ...from });
}
