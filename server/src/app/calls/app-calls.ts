/**
 * The application layer's end of a call: it authenticates the agent, runs the hooks of the operation, sends the command
 * to the engine, and answers. A command without hooks costs no promise here.
 */
import type { CallReply } from "@holdfast/sdk";
import type { AgentRow } from "../../features/agents/agent-table.ts";
import type { Refusal } from "../../machine/entry.ts";
import { answerCall, failCall } from "../../operations/call.ts";
import type { Call } from "../../operations/call.ts";
import type { AuthenticationRules } from "./agent-authenticator.ts";
import type { AppOperation } from "./app-operation.ts";
import { explainUnrecorded } from "./explain-refusal.ts";
import { journalRefusal } from "./journal-refusal.ts";
import { runCall } from "./run-call.ts";
import type { RunContext } from "./run-call.ts";
import { unrecordedReply } from "./unrecorded-reply.ts";

type AppCall = Call<AppOperation>;

/** Maximum agents whose context is cached. Beyond it the cache is cleared. */
const contextsMax = 4_096;

/** Authenticates the agent before anything else. Every call of an agent counts as activity. */
export class AppCalls {
  readonly #options: RunContext;
  readonly #contexts = new Map<string, RunContext>();
  readonly #rules: AuthenticationRules;

  constructor(options: RunContext) {
    this.#options = options;
    this.#rules = { principal: options.speaker.principal, requiresSecret: options.requiresAgentSecret };
  }

  submit(calls: readonly AppCall[]): void {
    for (const call of calls) {
      try {
        this.#submit(call);
      } catch (error) {
        failCall(call, error);
      }
    }
  }

  #submit(call: AppCall): void {
    const { agent = this.#options.speaker.agent } = call.options;
    if (agent === undefined) {
      runCall(this.#options, call);
      return;
    }
    const { engine, agents } = this.#options.services;
    const row = agents.authenticate(agent, call.options, this.#rules);
    if (!("kind" in row)) this.#submitAs(row, call);
    else if (engine.isShared && row.code === "agent_unknown") {
      // The agent may have registered, or got a new secret, on another node a moment ago.
      answerLater(call, this.#submitAfterCatchUp(agent, call));
    } else answerLater(call, this.#refused(row));
  }

  #submitAs(row: AgentRow, call: AppCall): void {
    this.#options.services.agents.activity.noteActivity(row);
    runCall(this.#contextOf(row.id), call);
  }

  async #submitAfterCatchUp(agent: string, call: AppCall): Promise<CallReply | undefined> {
    const { engine, agents } = this.#options.services;
    try {
      await engine.catchUp();
    } catch (error) {
      return unrecordedReply(engine, journalRefusal(error));
    }
    const found = agents.authenticate(agent, call.options, this.#rules);
    if ("kind" in found) return this.#refused(found);
    this.#submitAs(found, call);
    return undefined;
  }

  async #refused(refusal: Refusal): Promise<CallReply> {
    const { services } = this.#options;
    const shown = await explainUnrecorded(refusal, { services }).catch(journalRefusal);
    return unrecordedReply(services.engine, shown);
  }

  /** The context of one agent. It is cached, since every call needs it. */
  #contextOf(agent: string): RunContext {
    const known = this.#contexts.get(agent);
    if (known !== undefined) return known;
    if (this.#contexts.size >= contextsMax) this.#contexts.clear();
    const context = { ...this.#options, speaker: { ...this.#options.speaker, agent, caller: agent } };
    this.#contexts.set(agent, context);
    return context;
  }
}

/** Answers a call when its reply is known. Undefined: another step answers it. */
function answerLater(call: AppCall, reply: Promise<CallReply | undefined>): void {
  reply.then(
    (known) => {
      if (known !== undefined) answerCall(call, known);
    },
    (error: unknown) => {
      failCall(call, error);
    },
  );
}
