import { HoldfastError } from "@holdfast/sdk";
import { callRefusal } from "@holdfast/sdk/call-refusal";
import type { CallReply } from "@holdfast/sdk";
import { answerCall, failCall } from "../operations/call.ts";
import type { Call, Calls } from "../operations/call.ts";
import type { RateLimiter, ConnectionCallers } from "./rate-limiter.ts";
import { redactReply } from "./redact-reply.ts";
import type { RightsCheck } from "./rights-check.ts";
import { isAudited } from "./rights-check.ts";
import { isRejection } from "./gate.ts";
import type { Rejection } from "./gate.ts";
import type { Lookups } from "./lookups.ts";
import type { RefusalNotes } from "./refusal-notes.ts";
import { isAllowedEverywhere } from "./caller-rights.ts";
import type { CallerRights } from "./caller-rights.ts";
import { EventVisibility } from "./event-visibility.ts";

interface Guard {
  readonly lookups: Lookups;
  readonly rightsCheck: RightsCheck;
  readonly notes: RefusalNotes;
  readonly limiter: RateLimiter;
  readonly callers: ConnectionCallers;
  /** The current rights of the caller. */
  readonly rights: () => CallerRights | Rejection;
  /** Calls back when the caller would be rejected. Returns the function to unsubscribe. */
  readonly onLost: (callback: () => void) => () => void;
}

type Pages<Item> = AsyncIterableIterator<readonly Item[]>;

/** The calls of an admitted caller. Every call and every page is checked again. */
export function guardedCalls(inner: Calls, guard: Guard): Calls {
  return {
    submit(calls) {
      const passed = calls.filter((call) => passes(inner, guard, call));
      if (passed.length > 0) inner.submit(passed);
    },
    watch: (options) =>
      guardedPages(guard, options.owner, {
        open: () => inner.watch(options),
        visible: (visibility, rights, events) => visibility.visible(rights, events),
      }),
    notices: (options) =>
      guardedPages(guard, options.owner, {
        open: () => inner.notices(options),
        visible: (visibility, rights, notices) =>
          notices.filter((notice) => visibility.isNoticeVisible(rights, notice)),
      }),
    async cursor() {
      currentRights(guard, "cursor");
      return inner.cursor();
    },
    // A closing door ends its own watches. A caller cannot stop the engine.
    close: () => Promise.resolve(),
  };
}

/** Whether a call may be submitted now. A refused call is answered here. */
function passes(inner: Calls, guard: Guard, call: Call): boolean {
  const rights = guard.rights();
  const refusal = isRejection(rights)
    ? rights
    : (guard.limiter.call(guard.callers.of(call.options.agent)) ?? guard.rightsCheck.refusalOf(rights, call));
  if (refusal !== undefined) {
    if (!isRejection(rights) && isAudited(refusal)) note(guard, rights, call);
    answerCall(call, refused(guard, refusal));
    return false;
  }
  if (!isRejection(rights)) call.rights = rights;
  call.isOperator = !isRejection(rights) && isAllowedEverywhere(rights, ["operate"]);
  // Most callers may read everything. For them nothing is redacted.
  if (!isRejection(rights) && !isAllowedEverywhere(rights, ["read"])) {
    call.redact = (reply) => redactReply({ ...guard, rights }, call, reply);
  }
  if (call.record.countsAs !== "agent") return true;
  countAgent(inner, guard, call);
  return false;
}

/** The agents of a principal and of a connection are counted before one more is registered. */
function countAgent(inner: Calls, guard: Guard, call: Call): void {
  const { limiter, callers } = guard;
  limiter.register(callers.own).then(
    (admitted) => {
      if (isRejection(admitted)) answerCall(call, refused(guard, admitted));
      else inner.submit([noting(guard, call, admitted)]);
    },
    (error: unknown) => {
      failCall(call, error);
    },
  );
}

/** The call, whose reply counts the registered agent for its connection. `end` ends the pending registration. */
function noting({ limiter, callers }: Guard, call: Call, end: () => void): Call {
  const { redact, observer } = call;
  call.observer = {
    observe: (observed, reply) => {
      end();
      observer?.observe(observed, reply);
    },
  };
  call.redact = (reply) => {
    const { agent_id: agent } = reply.outcome.data as { readonly agent_id?: unknown };
    if (reply.outcome.kind === "done" && typeof agent === "string") limiter.registered(callers.own, agent);
    return redact === undefined ? reply : redact(reply);
  };
  return call;
}

/** The agent is not authenticated yet, so its name must not appear in the audit trail. */
function note({ notes, lookups }: Guard, { principal }: CallerRights, { record, options }: Call): void {
  const isOwn = options.agent !== undefined && lookups.principalOf(options.agent) === principal;
  notes.note({ principal, agent: isOwn ? options.agent : undefined, operation: record.name, reason: "not_allowed" });
}

function refused({ lookups }: Guard, { code, data }: Rejection): CallReply {
  return callRefusal(code, data, lookups.position());
}

function currentRights(guard: Guard, operation: string): CallerRights {
  const rights = guard.rights();
  if (!isRejection(rights)) return rights;
  throw problem(guard, operation, rights);
}

function problem({ lookups }: Guard, operation: string, { code, data }: Rejection): HoldfastError {
  return new HoldfastError(operation, code, { data, position: lookups.position() });
}

interface GuardedSource<Item> {
  readonly open: () => Pages<Item>;
  readonly visible: (visibility: EventVisibility, rights: CallerRights, items: readonly Item[]) => readonly Item[];
}

/** The pages that the caller may see. They end when its token is revoked or expires, even if no event occurs. */
function guardedPages<Item>(
  guard: Guard,
  owner: string | undefined,
  { open, visible }: GuardedSource<Item>,
): Pages<Item> {
  const visibility = new EventVisibility(guard.lookups);
  const first = guard.rights();
  if (!isRejection(first) && owner !== undefined) visibility.rememberOwner(first, owner);
  const releaseWatch = isRejection(first) ? first : guard.limiter.watch(guard.callers.own);
  // Opened at once, not with the first page: it starts with events after this call.
  const pages = isRejection(releaseWatch) ? undefined : open();
  const unsubscribe = pages === undefined ? undefined : guard.onLost(() => void pages.return?.());
  const end = async (): Promise<{ done: true; value: undefined }> => {
    if (!isRejection(releaseWatch)) releaseWatch();
    unsubscribe?.();
    await pages?.return?.();
    return { done: true, value: undefined };
  };
  return {
    async next() {
      for (;;) {
        try {
          currentRights(guard, "watch");
          if (isRejection(releaseWatch)) throw problem(guard, "watch", releaseWatch);
          const page = (await pages?.next()) ?? (await end());
          const rights = currentRights(guard, "watch");
          if (page.done === true) return await end();
          const items = visible(visibility, rights, page.value);
          if (items.length > 0) return { done: false, value: items };
        } catch (error) {
          await end();
          throw error;
        }
      }
    },
    return: end,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
