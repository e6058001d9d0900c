export const logLevels = ["error", "warn", "info", "debug", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The severity of a log line. */
export type LogSeverity = Exclude<LogLevel, "silent">;
