import assert from "node:assert/strict";
import { test } from "node:test";
import { rawSocketFor } from "./raw-socket.ts";
import type { RawMessage } from "./raw-socket.ts";
import { serverFor } from "./with-server.ts";

/** Each text that a server keeps while the socket is open, with its maximum length. */
const longest: readonly (readonly [string, (text: string) => RawMessage, number])[] = [
  ["token", (token) => ({ kind: "hello", protocol: 1, token }), 512],
  ["agent", (agent) => ({ kind: "agent", as: 0, agent }), 128],
  ["secret", (secret) => ({ kind: "agent", as: 0, agent: "a", secret }), 256],
  ["after", (after) => ({ kind: "watch", id: 1, after }), 64],
  ["subject", (subject) => ({ kind: "watch", id: 1, subject }), 2_200],
  ["owner", (owner) => ({ kind: "watch", id: 1, owner }), 128],
  ["names", (name) => ({ kind: "watch", id: 1, names: [name] }), 255],
  ["owner", (owner) => ({ kind: "listen", id: 1, owner }), 128],
];

test("a message is refused if a text that the server keeps exceeds its maximum length", async (t) => {
  const { url } = await serverFor(t);
  for (const [name, message, lengthMax] of longest) {
    const socket = await rawSocketFor(t, url);
    if (name !== "token") socket.hello();
    const tooLong = message("x".repeat(lengthMax + 1));
    socket.send(tooLong);
    const { problem } = await socket.message("problem");
    const { code, data } = problem as { code: string; data: { reason: string } };
    assert.equal(code, "frame_malformed", name);
    assert.match(data.reason, new RegExp(`^message 0: \`${name}\` must be`, "u"));
    // A text of the maximum length is not malformed. Its answer does not matter here.
    socket.send(message("x".repeat(lengthMax)), { kind: "cursor", id: 2 });
    const [answer] = await socket.frame();
    const malformed = (answer?.["problem"] as { code: string } | undefined)?.code === "frame_malformed";
    assert.equal(malformed, false, JSON.stringify(answer));
    socket.end();
  }
});

test("a malformed Authorization header of a socket is refused, and never treated as absent [M14]", async (t) => {
  const { url } = await serverFor(t);
  for (const authorization of ["Basic YTpi", "Bearer", "Bearer ", "hf_0123456789", "Bearer a b"]) {
    const socket = await rawSocketFor(t, url, { headers: { authorization } });
    socket.hello();
    const { problem } = await socket.message("problem");
    assert.equal((problem as { code: string }).code, "token_invalid", authorization);
    assert.equal(await socket.closed, 4401);
  }
});
