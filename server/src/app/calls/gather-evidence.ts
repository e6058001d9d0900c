/**
 * Sends a command together with evidence. The decision compares the evidence with its own state. If it does not fit,
 * nothing is recorded, and the evidence is gathered again. The number of rounds is bounded, and the last round keeps
 * other commands with the same serial on this node waiting.
 */
import { untilAborted } from "@holdfast/sdk/base/until-aborted";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import type { Json, JsonObject } from "@holdfast/sdk/json/json";
import { measure } from "@holdfast/sdk/json/measure";
import { CheckError } from "../../checks/check.ts";
import { checkLimits } from "../../checks/check-limits.ts";
import { engineLimits } from "../../engine/limits.ts";
import { refusalReply } from "../../engine/reply.ts";
import type { Reply } from "../../engine/reply.ts";
import type { WantedCheck } from "../../machine/feature.ts";
import type { CallContext, EvidenceSource } from "./app-operation.ts";
import { journalRefusal } from "./journal-refusal.ts";

interface EvidenceRequest {
  readonly context: CallContext;
  readonly source: EvidenceSource;
  readonly operation: string;
  readonly input: JsonObject;
  /** The key of the command with its scope, if it has a key. */
  readonly scope: string | undefined;
  readonly deadlineMs: number | undefined;
  /** The caller's signal. A caller that hangs up cancels its check. */
  readonly signal: AbortSignal | undefined;
  readonly send: (evidence: CommandEvidence) => Promise<Reply>;
}

/** The evidence of a command, its approximate bytes as text, and the time that is left for the decision. */
interface CommandEvidence {
  readonly evidence: Json | undefined;
  readonly bytes: number;
  readonly deadlineMs: number;
}

/** The decision that the evidence does not fit the state at a position. */
interface StaleEvidence {
  readonly position: number;
  readonly wanted: WantedCheck | undefined;
}

export async function gatherEvidence(request: EvidenceRequest): Promise<Reply> {
  const { clock, engine } = request.context.services;
  const deadline = new AbortController();
  const allowedMs = request.deadlineMs ?? engineLimits.deadlineMs;
  const endMs = clock.monotonicMs() + allowedMs;
  const cancelDeadline = clock.after(
    allowedMs,
    () => {
      deadline.abort(new CheckError("check_unavailable", "the deadline of the command passed"));
    },
    { keepAlive: true },
  );
  const signals = request.signal === undefined ? [] : [request.signal];
  const signal = AbortSignal.any([deadline.signal, ...signals]);
  const send = ({ evidence }: { readonly evidence: Json | undefined }): Promise<Reply> =>
    request.send({ evidence, bytes: bytesOf(evidence), deadlineMs: Math.max(1, endMs - clock.monotonicMs()) });
  try {
    return await decideOnce({ ...request, signal, send });
  } catch (error) {
    const { code, data } = refusalOf(error, signal);
    return refusalReply(code, data, engine.head.position);
  } finally {
    cancelDeadline();
  }
}

interface GatherRun extends Omit<EvidenceRequest, "send" | "signal"> {
  readonly signal: AbortSignal;
  readonly send: (found: { readonly evidence: Json | undefined }) => Promise<Reply>;
}

/** The first use of a key gathers. A second one waits for it, and is then replayed by the engine. */
async function decideOnce(run: GatherRun): Promise<Reply> {
  const { context, source, scope, signal, send } = run;
  if (scope === undefined) return decideInRounds(run);
  const { engine, turns } = context.services;
  const end = await taken(turns.takeKey(scope), signal);
  try {
    // A decision that is asked first replays a known key by itself.
    if (source.asksDecision !== true && (await engine.priorOf(scope)) !== undefined) {
      const reply = await send({ evidence: undefined });
      if (staleOf(reply) === undefined) return reply;
    }
    return await decideInRounds(run);
  } finally {
    end();
  }
}

async function decideInRounds(run: GatherRun): Promise<Reply> {
  const { source, input, context, signal } = run;
  const { turns, checks, engine } = context.services;
  const serial = source.serial?.(input);
  let stale: StaleEvidence | undefined;
  let round = 0;
  while (round < checkLimits.roundsMax) {
    const isAsking = source.asksDecision === true && stale === undefined;
    if (!isAsking) round += 1;
    const isExclusive = round === checkLimits.roundsMax;
    const end = serial === undefined ? undefined : await taken(turns.takeSerial(serial, { isExclusive }), signal);
    try {
      const reply = await runRound(run, { isAsking, round, stale });
      stale = staleOf(reply);
      if (stale === undefined) {
        if (source.check !== undefined && round > 0) checks.noteRounds(source.check, round);
        return reply;
      }
    } finally {
      end?.();
    }
    // Without a check there is nothing to repeat: the finding would be the same.
    if (source.check === undefined && !isAsking) break;
  }
  return refusalReply("check_contended", { rounds: round, retry_after_ms: contendedRetryMs }, engine.head.position);
}

/** Retry delay after all rounds were stale. */
const contendedRetryMs = 100;

/** Retry delay after a full queue of checks. */
const overloadedRetryMs = 1_000;

interface GatherRound {
  /** True if the decision is asked first what it wants to have checked. */
  readonly isAsking: boolean;
  readonly round: number;
  readonly stale: StaleEvidence | undefined;
}

async function runRound(run: GatherRun, { isAsking, round, stale }: GatherRound): Promise<Reply> {
  const { context, source, operation, input, signal, send } = run;
  const { ids, checks, engine } = context.services;
  if (isAsking) return send({ evidence: undefined });
  // A stale decision was made by this node, so this node has folded everything that it must read.
  if (stale === undefined && engine.isShared) await engine.catchUp();
  const id = ids.unique();
  const { position: after = engine.head.position, wanted } = stale ?? {};
  let isDone = false;
  try {
    const evidence = await source.gather(input, { ...context, id, operation, round, after, wanted, signal });
    signal.throwIfAborted();
    const reply = await send({ evidence });
    isDone = reply.outcome.kind === "done";
    return reply;
  } finally {
    checks.answered(id, isDone);
  }
}

/** Waits for a turn. If the signal aborts first, the turn ends when it begins. */
async function taken(turn: Promise<() => void>, signal: AbortSignal): Promise<() => void> {
  try {
    return await untilAborted(signal, turn);
  } catch (error) {
    void turn.then((end) => {
      end();
    });
    throw error;
  }
}

function staleOf({ outcome }: Reply): StaleEvidence | undefined {
  if (outcome.kind !== "refusal" || outcome.code !== "check_stale") return undefined;
  return outcome.data as unknown as StaleEvidence;
}

function bytesOf(evidence: Json | undefined): number {
  if (evidence === undefined) return 0;
  const measured = measure(evidence, inputLimits);
  if (!measured.ok) throw new CheckError("check_unavailable", `the evidence is ${measured.reason.replace("_", " ")}`);
  return measured.size.bytes;
}

function refusalOf(error: unknown, signal: AbortSignal): { readonly code: string; readonly data: JsonObject } {
  if (error instanceof CheckError) {
    const { code, message: reason } = error;
    return { code, data: code === "overloaded" ? { reason, retry_after_ms: overloadedRetryMs } : { reason } };
  }
  if (signal.aborted) return { code: "check_unavailable", data: { reason: "the caller left" } };
  return journalRefusal(error);
}
