/**
 * The log of a running server: one line per event, with the event's name, time and fields. The log writes only the fields
 * that are named here. Inputs, tokens and secrets are not among them. Text that looks like a secret is redacted.
 */
import { defined } from "@holdfast/sdk/base/defined";
import { traceContext, traceIdOf } from "@holdfast/sdk/contract";
import { pino } from "pino";
import type { Clock } from "../base/clock.ts";
import type { LogSeverity, LogLevel } from "./log-level.ts";
import { LogRateLimiter } from "./log-rate-limiter.ts";
import { formatLogLine } from "./format-log-line.ts";
import { redactSecrets } from "./redact-secrets.ts";

/** The fields of a log line. */
export interface LogFields {
  readonly message?: string;
  readonly reason?: string | undefined;
  readonly position?: number | undefined;
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
  /** Writes a line, unless the rate limit for lines like it is reached. `event` is a name such as `call.refused`. */
  write(severity: LogSeverity, event: string, fields: LogFields): void;
  isOn(severity: LogSeverity): boolean;
  /** Writes how many lines the rate limit suppressed. Write nothing after this call. */
  close(): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  /** `json` is for programs, `lines` is for people at a terminal. */
  readonly format: "json" | "lines";
  readonly write: (line: string) => void;
  readonly clock: Clock;
}

/** Maximum characters of a field. Longer text is truncated; the journal has the whole text. */
const fieldCharactersMax = 1_000;

export function openLog({ level, format, write, clock }: LogOptions): Log {
  const lines = { write: (line: string) => write(format === "json" ? line.trimEnd() : formatLogLine(line)) };
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "message",
      timestamp: () => `,"time":"${new Date(clock.wallMs()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // No code passes these fields. Redaction keeps them out of the log if a change does so by mistake.
      redact: { paths: secretNames.flatMap((name) => [name, `*.${name}`]), remove: true },
    },
    lines,
  );
  const limiter = new LogRateLimiter(clock, (severity, event, suppressedCount) => {
    logger[severity]({ event, repeated: suppressedCount }, "similar lines were suppressed by the rate limit");
  });
  return {
    isOn: (severity) => logger.isLevelEnabled(severity),
    write(severity, event, { message, ...fields }) {
      if (!logger.isLevelEnabled(severity)) return;
      const kind = [event, fields.operation ?? "", fields.code ?? "", message ?? ""].join(" ");
      if (limiter.isLimited(kind, severity, event)) return;
      logger[severity]({ event, ...redactFields(fields) }, message === undefined ? event : redactText(message));
    },
    close() {
      limiter.flush();
    },
  };
}

const secretNames = ["token", "secret", "agentSecret", "agent_secret", "authorization", "headers", "input", "cookie"];

/** The trace id of a call. Undefined if the caller sent no trace. */
export function traceOf(sent: unknown): string | undefined {
  const trace = traceContext(sent);
  return trace === undefined ? undefined : traceIdOf(trace);
}

function redactFields(fields: Omit<LogFields, "message">): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(defined(fields)).map(([name, value]) => [
      name,
      typeof value === "string" ? redactText(value) : value,
    ]),
  );
}

function redactText(text: string): string {
  const redacted = redactSecrets(text);
  return redacted.length > fieldCharactersMax ? `${redacted.slice(0, fieldCharactersMax)}…` : redacted;
}
