/** Who runs this program, and where: a page is not told. */
export function agentName(): string {
  return "browser";
}
