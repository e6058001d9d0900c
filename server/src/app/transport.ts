/**
 * The application layer as a transport: for the doors, and for programs in the same process. It rejects internal operations
 * and adds history to outcomes. A program's values are checked and copied on entry, and its replies are copies.
 */
import type { Transport, WatchedEvent } from "@holdfast/sdk";
import type { DoorTransport } from "@holdfast/sdk/door-transport";
import { canonicalValue } from "@holdfast/sdk/json/canonical-value";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import type { Engine } from "../engine/engine.ts";
import type { OperatorTokenRotation } from "./calls/hooks/rotate-operator-token.ts";
import { AgentCalls } from "./calls/agent-calls.ts";
import { refusal } from "../machine/refusal.ts";
import { unrecordedReply } from "./calls/unrecorded-reply.ts";
import type { CallContext } from "./calls/call-operation.ts";
import { copyJson } from "./calls/copy-json.ts";
import { cursorAt } from "./watch/entry-events.ts";
import { unreadable } from "./calls/journal-refusal.ts";
import { watch } from "./watch/watch.ts";

export interface AppTransportOptions extends Omit<CallContext, "sharesData"> {
  /** Whether an agent must send its secret. Otherwise a bare id is trusted. */
  readonly requiresAgentSecret?: boolean;
  /** Absent where the operator's token is configured, or where there is none. */
  readonly operatorRotation?: OperatorTokenRotation;
  readonly close: () => Promise<void>;
}

/** For a program in this process. It may change its objects at any time. */
export function inProcessTransport(options: AppTransportOptions): Transport {
  const { services, close } = options;
  const calls = new AgentCalls({ ...options, sharesData: false });
  return {
    call(operation, input, call) {
      const canonical = canonicalValue(input, inputLimits);
      if (canonical.ok) return calls.call(operation, canonical.value, { ...call, inputBytes: canonical.bytes });
      return Promise.resolve(unrecordedReply(services.engine, refusal("input_malformed", { ...canonical.fault })));
    },
    watch: (request) => copied(watch(services, request)),
    notices: ({ owner }) => services.notices.listen(owner),
    cursor: () => cursorOf(services.engine),
    close,
  };
}

/** For doors. They only write replies as text, so they share the data of the state and must not change it. */
export function doorTransport(options: AppTransportOptions): DoorTransport {
  const { services, close } = options;
  const calls = new AgentCalls({ ...options, sharesData: true });
  return {
    call: (operation, input, call) => calls.call(operation, input, call),
    watch: (request) => watch(services, request),
    notices: ({ owner }) => services.notices.listen(owner),
    cursor: () => cursorOf(services.engine),
    close,
  };
}

async function cursorOf(engine: Engine): Promise<string> {
  try {
    return await engine.read((state) => cursorAt(state, engine.head.position));
  } catch (error) {
    throw unreadable(error, { operation: "cursor", position: engine.head.position });
  }
}

function copied(pages: ReturnType<typeof watch>): ReturnType<typeof watch> {
  return {
    ...pages,
    async next() {
      const page = await pages.next();
      return page.done === true ? page : { done: false, value: page.value.map(copyOf) };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function copyOf(event: WatchedEvent): WatchedEvent {
  return { ...event, data: copyJson(event.data as Parameters<typeof copyJson>[0]) };
}
