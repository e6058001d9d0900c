/** The configuration is invalid. The message names the setting, the invalid value and a valid one. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "config_invalid";
}
