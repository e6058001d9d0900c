/** The configuration can't be meant. Its message names the place, what is wrong there, and what would be right. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "config_invalid";
}
