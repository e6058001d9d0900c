/**
 * The application layer as a transport: for the doors, and for programs in the same process. It rejects internal operations
 * and adds history to outcomes. A program's values are checked and copied on entry, and its replies are copies.
 */
import type { Transport, WatchedEvent } from "@holdfast/sdk";
import { canonicalValue } from "@holdfast/sdk/json/canonical-value";
import { inputLimits } from "@holdfast/sdk/json/input-limits";
import type { Engine } from "../engine/engine.ts";
import { refusal } from "../machine/refusal.ts";
import { callOnce } from "../operations/call.ts";
import type { Calls } from "../operations/call.ts";
import type { OperationRegistry } from "../operations/registry.ts";
import { unknownOperation } from "../operations/unknown-operation.ts";
import { AppCalls } from "./calls/app-calls.ts";
import type { AppOperation, CallContext } from "./calls/app-operation.ts";
import { copyJson } from "./calls/copy-json.ts";
import { unreadable } from "./calls/journal-refusal.ts";
import { unrecordedReply } from "./calls/unrecorded-reply.ts";
import { cursorAt } from "./watch/entry-events.ts";
import { watch } from "./watch/watch.ts";

export interface AppTransportOptions extends CallContext {
  readonly operations: OperationRegistry<AppOperation>;
  readonly close: () => Promise<void>;
}

/** For a program in this process. It may change its objects at any time. */
export function inProcessTransport(options: AppTransportOptions): Transport {
  const { services, operations, close } = options;
  const calls = callsOf(options, false);
  return {
    call(operation, input, call) {
      const canonical = canonicalValue(input, inputLimits);
      if (!canonical.ok) {
        const refused = refusal("input_malformed", { ...canonical.fault });
        return Promise.resolve(unrecordedReply(services.engine, refused));
      }
      const record = operations.find(operation) ?? unknownOperation(operation);
      const options = { ...call, inputBytes: canonical.bytes, carriesStreams: true as const };
      return callOnce(calls, { record, input: canonical.value, options, isOperator: true });
    },
    watch: (request) => copied(watch(services, request)),
    notices: calls.notices,
    cursor: calls.cursor,
    close,
  };
}

/** For doors. They only write replies as text, so they share the data of the state and must not change it. */
export function doorCalls(options: AppTransportOptions): Calls<AppOperation> {
  return callsOf(options, true);
}

function callsOf(options: AppTransportOptions, sharesData: boolean): Calls<AppOperation> {
  const { services, close } = options;
  const calls = new AppCalls({ ...options, sharesData });
  return {
    submit: (submitted) => {
      calls.submit(submitted);
    },
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
