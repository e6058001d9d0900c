/** Refusals of the gate, before the operation runs. */
export const accessProblems = {
  agent_secret_required: {
    status: 401,
    retry: "never",
    title: "The agent's secret is required",
    next: "Send the agent's id and the secret that its registration returned. If the secret is lost, register under another own key. An operator can end the agent; otherwise it ends by inactivity.",
  },
  token_required: {
    status: 401,
    retry: "never",
    title: "A token is required",
    next: "Ask an operator for a token (`holdfast token create`). Send it as `Authorization: Bearer hf_…`.",
  },
  token_invalid: {
    status: 401,
    retry: "never",
    title: "The token is wrong, expired or revoked",
    next: "Ask an operator for a new token.",
  },
  token_unknown: {
    status: 404,
    retry: "never",
    title: "Unknown token",
    next: "It was revoked, it expired, or it never existed. List the tokens to find its id.",
  },
  operator_token_configured: {
    status: 409,
    retry: "never",
    title: "The operator's token is not in the data folder",
    next: "Change it where it is configured, such as HOLDFAST_OPERATOR_TOKEN, and restart each node.",
  },
  principal_reserved: {
    status: 422,
    retry: "never",
    title: "This principal name is reserved",
    next: "Choose another principal name.",
  },
  token_limit: {
    status: 429,
    retry: "never",
    title: "The maximum number of tokens is reached",
    next: "Revoke unused tokens.",
  },
  rate_limited: {
    status: 429,
    retry: "later",
    title: "Rate limit exceeded",
    next: "Nothing happened. Retry after `retry_after_ms`. `limit` names the limit.",
  },
  foreign_request: {
    status: 403,
    retry: "never",
    title: "The Host or Origin header does not belong to this server",
    next: "Use one of the server's own host names. An operator can allow more names with allowed_hosts.",
  },
  content_type_unsupported: {
    status: 415,
    retry: "never",
    title: "Unsupported content type",
    next: "Send JSON with one of the content types in `accepted`.",
  },
} as const;
