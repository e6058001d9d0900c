/** Fences are `epoch.position`, compared as numbers. */
export function isLaterFence(fence: string, than: string): boolean {
  const [epoch = 0, position = 0] = fence.split(".").map(Number);
  const [otherEpoch = 0, otherPosition = 0] = than.split(".").map(Number);
  return epoch > otherEpoch || (epoch === otherEpoch && position > otherPosition);
}
