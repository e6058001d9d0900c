/** One plain input per operation. Documents show it, and a test checks that it matches the schema. */
import type { OperationName } from "./all-operations.ts";

const plan = { type: "plan", id: "42" } as const;
const fence = "1.17";

export const examples: Readonly<Record<OperationName, Readonly<Record<string, unknown>>>> = {
  "create-entity": { ...plan, value: { title: "Launch", status: "draft" } },
  "replace-entity": { ...plan, value: { title: "Launch", status: "review" }, expected_revision: "1.1" },
  "patch-entity": { ...plan, merge: { status: "review" }, expected_revision: "1.1" },
  "delete-entity": { ...plan, expected_revision: "1.2" },
  "get-entity": plan,
  "list-entities": { type: "plan", limit: 50 },
  "list-history": { ...plan, limit: 20 },

  "register-agent": { name: "ann", purpose: "renames a module", own_key: "ann-on-host-7" },
  heartbeat: {},
  "end-agent": { agent_id: "9b2f6c1e-0d4a-7e53-8a61-5f0c2d3b4a59", reason: "the work is done" },
  "list-agents": { limit: 50 },
  "who-am-i": {},

  "acquire-lock": { paths: ["repo/x/src"], mode: "write", ttl_seconds: 60, purpose: "renaming a module", wait: true },
  "release-lock": { fence },
  "renew-lock": { fence, ttl_seconds: 60, note: "half done" },
  "upgrade-lock": { fence, wait: true },
  "downgrade-lock": { fence, mode: "read" },
  "transfer-lock": { fence, to: "bob" },
  "request-release": { path: "repo/x/src", reason: "a fix must go out" },
  "accept-lock": { ticket: "1.18" },
  "cancel-ticket": { ticket: "1.18" },
  "force-release": { fence, reason: "its host is gone" },
  "override-release": { fence, reason: "its host is lost permanently" },
  "configure-locks": { enforce: ["repo/x"] },
  "list-locks": { under: "repo/x", limit: 50 },
  "get-lock": { path: "repo/x/src" },
  "get-ticket": { ticket: "1.18" },
  "list-waits": { limit: 50 },
  "list-lock-history": { path: "repo/x/src", limit: 20 },
  "check-fence": { path: "repo/x/src/a.ts", fence, mode: "write" },

  "create-token": {
    principal: "ci",
    allow: [{ under: "repo/x", verbs: ["read", "write", "lock"] }],
    note: "for builds",
  },
  "rotate-token": { token_id: "9b2f6c1e", grace_seconds: 3600 },
  "rotate-operator-token": {},
  "revoke-token": { token_id: "9b2f6c1e", reason: "it was in a log" },
  "list-tokens": { limit: 50 },

  "list-journal": { after: 0, limit: 50 },
  "list-audit": { subject: "plan/42", limit: 20 },

  configure: { settings: { idempotency_window_ms: 172_800_000 }, reason: "retries come from another site" },
  "raise-rules": { to: 2 },
  "erase-payload": { position: 7, reason: "requested by the person concerned" },
};
