/** The data of a refusal while the state is folded again. That is soon done, so the delay is short. */
export const stateLoading = { reason: "the state is being folded again", retry_after_ms: 250 } as const;
