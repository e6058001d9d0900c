/** What somebody may be turned away with, before anything is looked at. */
export const accessProblems = {
  agent_secret_required: {
    status: 401,
    retry: "never",
    title: "An agent proves who it is with its secret here",
    next: "Send the secret that the registration returned, together with the agent's id.",
  },
  token_required: {
    status: 401,
    retry: "never",
    title: "Nobody gets in here without a token",
    next: "Ask an operator for a token (create-token), and send it as `Authorization: Bearer hf_…`.",
  },
  token_invalid: {
    status: 401,
    retry: "never",
    title: "The token is not known: it is wrong, has expired or was revoked",
    next: "Ask an operator for a new token.",
  },
  token_unknown: {
    status: 404,
    retry: "never",
    title: "There is no such token",
    next: "It was revoked, it has expired, or it never was. List the tokens to see which there are.",
  },
  principal_reserved: {
    status: 422,
    retry: "never",
    title: "This name belongs to Holdfast itself",
    next: "Choose another name for the principal.",
  },
  token_limit: {
    status: 429,
    retry: "never",
    title: "There are as many tokens as there may be",
    next: "Revoke tokens that nobody uses.",
  },
  rate_limited: {
    status: 429,
    retry: "later",
    title: "The caller asks for more than its limits allow",
    next: "Nothing happened. Come back after `retry_after_ms`; `limit` names the bound.",
  },
  foreign_request: {
    status: 403,
    retry: "never",
    title: "The request came from a page, or under a name, that is not of this server",
    next: "Speak to it under one of its own names; an operator may allow more names at the start.",
  },
  content_type_unsupported: {
    status: 415,
    retry: "never",
    title: "The body is of a type that is not taken",
    next: "Send JSON, with one of the content types in `accepted`.",
  },
} as const;
