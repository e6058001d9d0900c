/**
 * What a server tells while it runs: one line for each thing, with its name, its time and its facts. Only the facts that
 * are named here are ever written; inputs, tokens and secrets are not among them, and what looks like one is taken out.
 */
import { traceContext, traceIdOf } from "@holdfast/sdk/contract";
import { pino } from "pino";
import type { Clock } from "../base/clock.ts";
import type { Gravity, LogLevel } from "./log-level.ts";
import { RepeatLimit } from "./repeat-limit.ts";
import { shortLine } from "./short-line.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** The facts that a line may have. */
export interface LogFacts {
  readonly message?: string;
  readonly reason?: string | undefined;
  readonly position?: number;
  readonly principal?: string;
  readonly agent?: string | undefined;
  readonly door?: string;
  readonly operation?: string;
  readonly code?: string;
  readonly duration_ms?: number;
  readonly url?: string;
  readonly trace_id?: string | undefined;
}

export interface Log {
  /** Tells something, unless the like was told too often lately; `event` is its name, such as `call.refused`. */
  tell(gravity: Gravity, event: string, facts: LogFacts): void;
  isOn(gravity: Gravity): boolean;
  /** Tells how often things were kept back, and nothing more. */
  close(): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** `json` for programs; `lines` for somebody who looks at a terminal. */
  readonly format: "json" | "lines";
  readonly write: (line: string) => void;
  readonly clock: Clock;
}

/** A fact that is longer is cut: a line is for a glance, the journal has the rest. */
const factCharactersMax = 1_000;

export function openLog({ level, format, write, clock }: LogOptions): Log {
  const lines = { write: (line: string) => write(format === "json" ? line.trimEnd() : shortLine(line)) };
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "message",
      timestamp: () => `,"time":"${new Date(clock.wallMs()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Nothing of this is ever handed over. If somebody does it by mistake, it still does not get out.
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), remove: true },
    },
    lines,
  );
  const limit = new RepeatLimit(clock, (gravity, event, kept) => {
    logger[gravity]({ event, repeated: kept }, "the like was told too often lately");
  });
  return {
    isOn: (gravity) => logger.isLevelEnabled(gravity),
    tell(gravity, event, { message, ...facts }) {
      if (!logger.isLevelEnabled(gravity)) return;
      const kind = [event, facts.operation ?? "", facts.code ?? "", message ?? ""].join(" ");
      if (limit.isTooMuch(kind, gravity, event)) return;
      logger[gravity]({ event, ...cleaned(facts) }, message === undefined ? event : cleanedText(message));
    },
    close() {
      limit.flush();
    },
  };
}

const secretNames = ["token", "secret", "agentSecret", "agent_secret", "authorization", "headers", "input", "cookie"];

/** The trace id of a call, if it came with a trace. */
export function traceOf(sent: unknown): string | undefined {
  const trace = traceContext(sent);
  return trace === undefined ? undefined : traceIdOf(trace);
}

function cleaned(facts: Omit<LogFacts, "message">): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(facts)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === "string" ? cleanedText(value) : value]),
  );
}

function cleanedText(text: string): string {
  const clean = withoutSecrets(text);
  return clean.length > factCharactersMax ? `${clean.slice(0, factCharactersMax)}…` : clean;
}
