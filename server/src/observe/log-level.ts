export type LogLevel = LogSeverity | "silent";

/** The severity of a log line. */
export type LogSeverity = "error" | "warn" | "info" | "debug";
