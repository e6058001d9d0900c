import type { Problem } from "../../problem.ts";
import { ownedProblems } from "../owned-problems.ts";

export const intentsProblems = {
  ...ownedProblems("intents"),
  "intents.lock_timeout": {
    status: 409,
    retry: "new-key-after-read",
    title: "Another owner holds the lock of the intent, or waits for it",
    next: "See `holders`. Wait for the lock with acquire-lock on `path`, then send the request with its fence.",
    isContention: true,
  },
  "intents.transition_invalid": {
    status: 409,
    retry: "never",
    title: "The status of the intent does not allow this transition",
    next: "Send one of the statuses in `allowed`. If it is empty, the intent has ended and does not change.",
  },
  "intents.status_unknown": {
    status: 422,
    retry: "never",
    title: "Unknown status, mode or strategy",
    next: "Send one of the words in `known` as `member`.",
  },
  "intents.id_invalid": {
    status: 422,
    retry: "never",
    title: "The id cannot be part of a lock path",
    next: "Send an id of 1 to 200 characters without a slash. See `reason`.",
  },
  "intents.retired": {
    status: 409,
    retry: "never",
    title: "An intent with this id ended and left the state",
    next: "Use another id. Read the earlier intent with intents.get.",
  },
  "intents.strategy_fixed": {
    status: 422,
    retry: "never",
    title: "This strategy cannot change",
    next: "Leave `strategy` out of the settings. A run needs its lock, and audit events are part of their entry.",
  },
  "intents.too_many_corrections": {
    status: 409,
    retry: "never",
    title: "The intent has the maximum number of corrections",
    next: "Create a new intent. `limit` is the maximum.",
  },
  "intents.run_open": {
    status: 409,
    retry: "never",
    title: "A run of the intent is open",
    next: "Wait for the end of `run`, resume it with the same plan, or stop it with intents.stop.",
  },
  "intents.plan_differs": {
    status: 409,
    retry: "never",
    title: "The open run has another plan",
    next: "Compare `plan` with `yours`. Resume the run with its own plan, or stop it with intents.stop.",
  },
  "intents.run_ended": {
    status: 409,
    retry: "never",
    title: "The run has ended, or another run took its place",
    next: "Read the intent. `run` and `state` are those of its newest run.",
  },
  "intents.step_out_of_order": {
    status: 409,
    retry: "never",
    title: "This step is not the current one",
    next: "Continue with the step in `current`.",
  },
} as const satisfies Record<string, Problem>;
