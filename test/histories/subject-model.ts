/** The plainest model of one entity and the lock that guards it. It shares no code with the product. */
import { withdrawnCode } from "./history-call.ts";
import type { HistoryCall } from "./history-call.ts";
import { isLaterFence } from "./fences.ts";

export interface SubjectState {
  readonly version: number;
  readonly number: number;
  /** The holder of the lock, if there is one. */
  readonly owner: string | undefined;
  /** Also undefined while the lock is held by an acquire whose answer was lost. */
  readonly fence: string | undefined;
  /** The earliest end of the lease, on the clock of the calls. */
  readonly leaseEnds: number;
  readonly lastFence: string;
  /** The keys of the acquires that share the lock. */
  readonly requests: readonly string[];
  /** The keys of acquires that arrived before their withdrawal, and of those that were withdrawn before they arrived. */
  readonly arrived: readonly string[];
  readonly withdrawn: readonly string[];
}

export const initialState: SubjectState = {
  version: 1,
  number: 0,
  owner: undefined,
  fence: undefined,
  leaseEnds: 0,
  lastFence: "0.0",
  requests: [],
  arrived: [],
  withdrawn: [],
};

/**
 * The states in which a call can leave the subject, if it takes effect here with its recorded answer; none if it cannot. A
 * call whose answer was lost may have any effect that it could have had. A lease may expire once its time has passed.
 */
export function statesAfter(state: SubjectState, call: HistoryCall, now: number): readonly SubjectState[] {
  const starts = state.owner !== undefined && now >= state.leaseEnds ? [state, freed(state)] : [state];
  return starts.flatMap((start) => outcomes(start, call));
}

function freed(state: SubjectState): SubjectState {
  return { ...state, owner: undefined, fence: undefined, requests: [] };
}

function outcomes(state: SubjectState, call: HistoryCall): readonly SubjectState[] {
  switch (call.request.kind) {
    case "read":
      return afterRead(state, call);
    case "write":
      return afterWrite(state, call, call.request);
    case "acquire":
      return afterAcquire(state, call, call.request);
    case "release":
      return afterRelease(state, call, call.request);
    case "withdraw":
      return afterWithdraw(state, call, call.request);
  }
}

type RequestOf<Kind> = Extract<HistoryCall["request"], { readonly kind: Kind }>;

function afterRead(state: SubjectState, { answer }: HistoryCall): readonly SubjectState[] {
  if (answer === undefined) return [state];
  return answer.code === "done" && answer.version === state.version && answer.number === state.number ? [state] : [];
}

function afterWrite(
  state: SubjectState,
  { answer }: HistoryCall,
  request: RequestOf<"write">,
): readonly SubjectState[] {
  const isGuarded = request.fence === undefined || request.fence === state.fence;
  const isExpected = request.expected === undefined || request.expected === state.version;
  const written = { ...state, version: state.version + 1, number: request.number };
  if (answer === undefined) return isGuarded && isExpected ? [written] : [];
  if (answer.code === "fence_stale") return isGuarded ? [] : [state];
  if (answer.code === "concurrency_mismatch") return isGuarded && !isExpected ? [state] : [];
  return answer.code === "done" && isGuarded && isExpected && answer.version === written.version ? [written] : [];
}

function afterAcquire(state: SubjectState, call: HistoryCall, request: RequestOf<"acquire">): readonly SubjectState[] {
  const { answer, key = "" } = call;
  if (request.isAbandoned !== true) return afterGrant(state, call, request);
  if (state.withdrawn.includes(key)) {
    return answer === undefined || answer.code === withdrawnCode
      ? [{ ...state, withdrawn: without(state.withdrawn, key) }]
      : [];
  }
  const arrived = { ...state, arrived: [...state.arrived, key] };
  if (answer?.code !== withdrawnCode) return afterGrant(arrived, call, request);
  // It was granted or denied, and a later attempt to learn that found the withdrawal.
  const { answer: _answer, ...unanswered } = call;
  const isDenied = state.owner !== undefined && state.owner !== request.owner;
  return isDenied ? [arrived] : afterGrant(arrived, unanswered, request);
}

function afterGrant(
  state: SubjectState,
  { answer, begin, key }: HistoryCall,
  request: RequestOf<"acquire">,
): readonly SubjectState[] {
  const { owner } = request;
  const requests = key === undefined ? [] : [key];
  const held = { ...state, owner, leaseEnds: begin + request.ttlMs, requests };
  if (state.owner === owner) {
    const shared = { ...state, requests: [...state.requests, ...requests] };
    // A repeated acquire gives the same grant. The answer to the first one, with its fence, may have been lost.
    if (answer === undefined) return [shared];
    if (answer.code !== "done") return [];
    if (state.fence === undefined) return isNew(state, answer.fence) ? [{ ...shared, ...grantOf(answer.fence) }] : [];
    return answer.fence === state.fence ? [shared] : [];
  }
  if (answer?.code === "lock_denied") return state.owner === undefined ? [] : [state];
  if (state.owner !== undefined) return [];
  if (answer === undefined) return [{ ...held, fence: undefined }];
  if (answer.code !== "done" || !isNew(state, answer.fence)) return [];
  return [{ ...held, ...grantOf(answer.fence) }];
}

const grantOf = (fence = ""): Pick<SubjectState, "fence" | "lastFence"> => ({ fence, lastFence: fence });

const isNew = ({ lastFence }: SubjectState, fence = ""): boolean => isLaterFence(fence, lastFence);

function afterRelease(
  state: SubjectState,
  { answer }: HistoryCall,
  request: RequestOf<"release">,
): readonly SubjectState[] {
  const isHeld = state.owner === request.owner && (state.fence === undefined || state.fence === request.fence);
  if (answer === undefined) return isHeld ? [freed(state)] : [];
  if (answer.code === "lock_not_held") return isHeld ? [] : [state];
  return answer.code === "done" && isHeld ? [freed(state)] : [];
}

/** The lock is free afterwards, unless another acquire of its owner shares it. */
function afterWithdraw(
  state: SubjectState,
  { answer }: HistoryCall,
  { owner, acquire }: RequestOf<"withdraw">,
): readonly SubjectState[] {
  if (answer?.code !== "done") return [];
  if (!state.arrived.includes(acquire)) {
    return answer.found === "none" ? [{ ...state, withdrawn: [...state.withdrawn, acquire] }] : [];
  }
  const left = { ...state, arrived: without(state.arrived, acquire) };
  if (state.owner !== owner || !state.requests.includes(acquire)) return answer.found === "ended" ? [left] : [];
  const requests = without(state.requests, acquire);
  if (answer.found !== "granted" || answer.hasReleased !== (requests.length === 0)) return [];
  return [requests.length === 0 ? freed(left) : { ...left, requests }];
}

function without(keys: readonly string[], key: string): readonly string[] {
  return keys.filter((each) => each !== key);
}
