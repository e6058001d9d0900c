/** The data of a refusal while the state is folded again. That takes moments, so the delay is short. */
export const stateLoading = { reason: "the state is being folded again", retry_after_ms: 250 } as const;
