import assert from "node:assert/strict";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import type { TestContext } from "node:test";
import type { Transport } from "holdfast";
import { appOperations } from "../../server/src/app/calls/app-operations.ts";
import type { Clock } from "../../server/src/base/clock.ts";
import { openHttpDoor } from "../../server/src/doors/http/open.ts";
import { scriptedCalls } from "../access/checked-transport.ts";

export interface ScriptedDoor {
  readonly url: string;
  /** Sends a request over its own connection. */
  send(text: string): Promise<ScriptedConnection>;
}

export interface ScriptedConnection {
  /** Closes the connection. Resolves when the door has seen the close. */
  leave(): Promise<void>;
}

/** The HTTP door in front of a transport that the test scripts. */
export async function scriptedDoor(t: TestContext, clock: Clock, script: Partial<Transport>): Promise<ScriptedDoor> {
  const transport: Transport = {
    call: (operation) => assert.fail(operation),
    watch: () => assert.fail("the script has no watch"),
    notices: () => assert.fail("the script has no notices"),
    cursor: () => Promise.resolve("1.1"),
    close: () => Promise.resolve(),
    ...script,
  };
  const door = await openHttpDoor({
    ...{ host: "127.0.0.1", port: 0, clock, version: "test", operations: appOperations([]) },
    gate: {
      admit: () => ({ principal: "anonymous", isOperator: false, calls: scriptedCalls(transport) }),
      refresh: () => Promise.resolve(false),
      noteRejection: () => undefined,
    },
    report: (message) => assert.fail(message),
    health: () => assert.fail("the script has no health"),
    metricsText: () => assert.fail("the script has no metrics"),
  });
  t.after(() => door.close());
  const { host, port } = new URL(door.url);
  return {
    url: door.url,
    async send(text) {
      const socket = connect(Number(port), "127.0.0.1");
      t.after(() => socket.destroy());
      const came = once(door.server, "request");
      const [requestLine = "", ...rest] = text.split("\r\n");
      socket.write([requestLine, `Host: ${host}`, ...rest].join("\r\n"));
      const response = ((await came) as unknown[])[1] as ServerResponse;
      const closed = once(response, "close");
      return {
        async leave() {
          socket.destroy();
          await closed;
        },
      };
    },
  };
}

/** A watch that delivers no page and ends when it is closed. */
export class NoPages implements AsyncIterableIterator<readonly never[]> {
  readonly #end = Promise.withResolvers<IteratorReturnResult<undefined>>();
  isOver = false;

  next(): Promise<IteratorReturnResult<undefined>> {
    return this.#end.promise;
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.isOver = true;
    this.#end.resolve({ done: true, value: undefined });
    return this.#end.promise;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
