// Made from the contract by tools/make-client-data.ts; do not edit it.
import type { ContractData } from "./contract-data.ts";

export const intentsData: ContractData = {
  operations: {
    "intents.create": { kind: "write" },
    "intents.get": { kind: "read" },
    "intents.list": { kind: "read" },
    "intents.list-corrections": { kind: "read" },
    "intents.update": { kind: "write" },
    "intents.update-many": { kind: "write" },
    "intents.transition": { kind: "write" },
    "intents.reevaluate": { kind: "write" },
    "intents.delete": { kind: "write" },
    "intents.configure": { kind: "write" },
    "intents.list-strategies": { kind: "read" },
    "intents.run": { kind: "write" },
    "intents.advance": { kind: "write" },
    "intents.stop": { kind: "write" },
  },
  problems: {
    "intents.off": { status: 409, retry: "never", title: "The pack intents is switched off", next: "An operator can switch on the component that `toggle` names, with configure or configure-locks." },
    "intents.own_operations": { status: 409, retry: "never", title: "A pack owns the entities of this type", next: "Use the operations of the pack. The general operations on entities can only read them." },
    "intents.lock_required": { status: 423, retry: "new-key-after-read", title: "The change needs a lock that the caller does not hold", next: "Acquire `acquire` with acquire-lock, read again and send a new request. `missing` names the holders." },
    "intents.lock_timeout": { status: 409, retry: "new-key-after-read", title: "Another owner holds the lock of the intent, or waits for it", next: "See `holders`. Wait for the lock with acquire-lock on `path`, then send the request with its fence." },
    "intents.transition_invalid": { status: 409, retry: "never", title: "The status of the intent does not allow this transition", next: "`status` is the current status. `allowed` lists the statuses that can follow it." },
    "intents.status_unknown": { status: 422, retry: "never", title: "Unknown status, mode or strategy", next: "Send one of the words in `known` as `member`." },
    "intents.id_invalid": { status: 422, retry: "never", title: "The id cannot be part of a lock path", next: "Send an id of 1 to 200 characters without a slash. See `reason`." },
    "intents.strategy_fixed": { status: 422, retry: "never", title: "This strategy cannot change", next: "Leave `strategy` out of the settings. A run needs its lock, and audit events are part of their entry." },
    "intents.too_many_corrections": { status: 409, retry: "never", title: "The intent has the maximum number of corrections", next: "Create a new intent. `limit` is the maximum." },
    "intents.run_open": { status: 409, retry: "never", title: "A run of the intent is open", next: "Wait for the end of `run`, resume it with the same plan, or stop it with intents.stop." },
    "intents.plan_differs": { status: 409, retry: "never", title: "The open run has another plan", next: "Compare `plan` with `yours`. Resume the run with its own plan, or stop it with intents.stop." },
    "intents.run_ended": { status: 409, retry: "never", title: "The run has ended, or another run took its place", next: "Read the intent. `run` and `state` are those of its newest run." },
    "intents.step_out_of_order": { status: 409, retry: "never", title: "This step is not the current one", next: "Continue with the step in `current`." },
  },
};
