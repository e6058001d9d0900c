/** Checks the answer to a command against the journal. */
import type { CallReply } from "@holdfast/sdk";
import { plainCode, publishedName } from "@holdfast/sdk/contract";
import { canonicalText } from "../json/canonical-text.ts";
import type { Json } from "../../sdk/src/json/json.ts";
import { attemptOf } from "./attempt-of.ts";
import { isCertainFailure, mustBeRecorded, scopeOf } from "./attempt.ts";
import type { Attempt } from "./attempt.ts";
import { poison } from "./faulty-journal.ts";
import type { RecordedEntry } from "./history.ts";
import type { World } from "./world.ts";
import { shownData } from "./shown-data.ts";

export function checkReply(world: World, attempt: Attempt, reply: CallReply): void {
  const { outcome } = reply;
  world.faults.count(outcome.kind === "done" ? "answer: done" : `answer: ${outcome.code}`);
  if (reply.replayed) {
    world.faults.count("answer is a replay");
    checkReplay(world, attempt, reply);
    return;
  }
  if (outcome.kind === "refusal") checkRefusal(world, attempt, plainCode(outcome.code));
  const entries = world.history.ofAttempt(attempt.name);
  if (isCertainFailure(outcome)) {
    attempt.isRefusedForCertain = true;
    demandNothing(world, attempt, entries);
    return;
  }
  // A command that was lost with its history may have been decided again with another outcome.
  const isOfLost = ({ entry }: RecordedEntry): boolean => entry.position === reply.position && hasOutcome(entry, reply);
  const recorded = entries.find(({ isThere }) => isThere) ?? entries.find(isOfLost);
  if (recorded !== undefined && isDecided(reply)) checkAnswer(world, attempt, { reply, fact: recorded });
  else if (mustBeRecorded(outcome, attempt.intent)) {
    world.fail("an answer is in the journal", `${attempt.name} got ${JSON.stringify(outcome)}, and it has no entry`);
  }
}

/** A command whose answer promised that nothing happened must never be in the journal. */
export function checkRefusedForCertain(world: World, attempt: Attempt): void {
  if (attempt.isRefusedForCertain) demandNothing(world, attempt, world.history.ofAttempt(attempt.name));
}

function demandNothing(world: World, attempt: Attempt, entries: readonly RecordedEntry[]): void {
  world.demand(
    entries.length === 0,
    "a command that was certainly refused never happens",
    () => `${attempt.name} is at position ${entries[0]?.entry.position ?? 0}`,
  );
}

function isDecided(reply: CallReply): boolean {
  return reply.outcome.kind === "done" || !["outcome_unknown", "internal_error"].includes(reply.outcome.code);
}

function checkRefusal(world: World, attempt: Attempt, code: string): void {
  const { request, isHonest } = attempt.intent;
  world.demand(code !== "check_stale", "stale evidence is gathered again", () => `${attempt.name}: check_stale`);
  if (code === "internal_error") {
    world.demand(request.input["id"] === poison, "no command meets a defect", () => `${attempt.name}: internal_error`);
  }
  // The door completes `if_unchanged` from the history that its node knows. Through a node that is behind, the same
  // request becomes a different one.
  // Several owners may withdraw the same request.
  const isCompleted = request.input["if_unchanged"] !== undefined || request.operation === "withdraw-request";
  if (code === "idempotency_replay_conflict" && isHonest && !isCompleted && world.losses === 0) {
    world.fail(
      "the same request under the same key is a replay",
      `${attempt.name} got the answer that its key was used for another request`,
    );
  }
}

function checkReplay(world: World, attempt: Attempt, reply: CallReply): void {
  const scope = scopeOf(attempt.intent);
  const entries = scope === undefined ? [] : world.history.ofScope(scope);
  const there = entries.filter(({ entry }) => entry.position === reply.position);
  // The same key may have been used at the same position of a history that was lost.
  const isReported = ({ entry }: RecordedEntry): boolean =>
    hasOutcome(entry, reply) && sameText(reply.events as Json, publishedEvents(entry));
  const recorded = there.find(isReported) ?? there[0];
  if (recorded === undefined) {
    world.fail("a replay is of an entry", `${attempt.name}: ${scope ?? ""} was not used at position ${reply.position}`);
    return;
  }
  if (attemptOf(recorded.entry) !== undefined && lifeOf(recorded.entry.id) !== attempt.owner)
    world.faults.count("replay from another node or life");
  checkAnswer(world, attempt, { reply, fact: recorded });
}

/** The answer is the recorded outcome, and the same for every caller that gets it. */
function checkAnswer(
  world: World,
  attempt: Attempt,
  { reply, fact: recorded }: { reply: CallReply; fact: RecordedEntry },
): void {
  const { entry } = recorded;
  const { outcome } = reply;
  const detail = (): string =>
    `${attempt.name} got ${JSON.stringify(reply)}, entry ${entry.position} is ${JSON.stringify(entry)}`;
  const reported = outcome.data as Record<string, Json>;
  const isSame = hasOutcome(entry, reply) && reply.position === entry.position;
  world.demand(isSame, "an answer matches the journal", detail);
  if (outcome.kind === "done" && "granted" in entry.outcome.data) {
    const isAsRecorded = hasAll(entry, reported, none);
    world.faults.count(isAsRecorded ? "answer about a lock is as recorded" : "answer about a lock is newer");
    const isTrue = isAsRecorded || world.locks.answers.isTrue(entry.outcome.data, reported);
    world.demand(isTrue, "an answer about a lock reports a recorded state", detail);
  }
  world.demand(sameText(reply.events as Json, publishedEvents(entry)), "an answer has the events of its entry", detail);
  if (outcome.kind === "refusal" && plainCode(outcome.code) === "concurrency_mismatch") {
    world.demand(isExplained(reported), "a conflict explains itself", detail);
  }
  // After a loss the history of an entry may differ, and with it the explanation of a conflict. Answers about locks and
  // agents also contain the current state.
  if (world.losses > 0 || attempt.intent.request.speaker !== undefined) return;
  const answer = canonicalText(outcome as unknown as Json);
  recorded.answer ??= answer;
  world.demand(
    recorded.answer === answer,
    "one key has one answer",
    () => `${attempt.name} got ${answer}, another caller ${recorded.answer ?? ""}`,
  );
}

/** True if an answer contains the outcome of an entry. It may contain more, which comes from the history. */
function hasOutcome(entry: RecordedEntry["entry"], { outcome }: CallReply): boolean {
  const codeOf = (result: { kind: string; code?: string }): string => `${result.kind} ${plainCode(result.code ?? "")}`;
  const reported = outcome.data as Record<string, Json>;
  return (
    codeOf(outcome) === codeOf(entry.outcome) && hasAll(entry, reported, "granted" in entry.outcome.data ? newer : none)
  );
}

/** True if an answer contains every field of an entry's outcome, except some names. */
function hasAll(
  { outcome }: RecordedEntry["entry"],
  reported: Record<string, Json>,
  but: ReadonlySet<string>,
): boolean {
  return Object.entries(outcome.data).every(
    ([name, value]) =>
      but.has(name) ||
      sameText(reported[name], value) ||
      isImplied(name, value) ||
      (name === "conflicts" && hasHashes(reported[name], value)),
  );
}

/** The reply to an operation of intents does not repeat their type. */
function isImplied(name: string, value: Json): boolean {
  return name === "type" && value === "intent";
}

/** A conflict of hashes is recorded with its hashes, and answered with its explanation. */
function hasHashes(reported: Json | undefined, recorded: Json): boolean {
  const hashes = (conflicts: Json | undefined): Json =>
    (conflicts as unknown as readonly { expected_hash: Json; current_hash: Json }[]).map(
      ({ expected_hash, current_hash }) => [expected_hash, current_hash],
    );
  return Array.isArray(reported) && reported.every(isExplained) && sameText(hashes(reported), hashes(recorded));
}

function isExplained(reported: Json): boolean {
  const { changes, changes_reason: reason } = reported as Readonly<Record<string, Json>>;
  return (changes !== null && changes !== undefined) || typeof reason === "string";
}

/**
 * Fields of an answer about a lock that show the current state if the answer is late: as a replay, or after a stall.
 */
const newer: ReadonlySet<string> = new Set(["granted", "place", "expires_at"]);
const none: ReadonlySet<string> = new Set();

function publishedEvents(entry: RecordedEntry["entry"]): Json {
  return entry.events.map((event) => ({
    name: publishedName(event),
    subject: event.subject,
    data: shownData(event.data),
  }));
}

function sameText(left: Json | undefined, right: Json): boolean {
  return left !== undefined && canonicalText(left) === canonicalText(right);
}

/** Ids contain the life of the node that accepted the command. */
function lifeOf(id: string): string {
  return id.slice(0, id.lastIndexOf("-"));
}
