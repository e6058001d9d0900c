export const logLevels = ["error", "warn", "info", "debug", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** A level at which something is told. */
export type Gravity = Exclude<LogLevel, "silent">;
