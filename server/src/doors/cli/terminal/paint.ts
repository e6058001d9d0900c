/** Colours for people. The text is complete without them: a colour never carries information of its own. */
export interface Paint {
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly warning: (text: string) => string;
}

const plain = (text: string): string => text;

export const noPaint: Paint = { strong: plain, faint: plain, good: plain, bad: plain, warning: plain };

const colours: Paint = {
  strong: code(1, 22),
  faint: code(2, 22),
  good: code(32, 39),
  bad: code(31, 39),
  warning: code(33, 39),
};

function code(start: number, end: number): (text: string) => string {
  return (text) => `\u001b[${start}m${text}\u001b[${end}m`;
}

type ColorVariables = Readonly<Record<string, string | undefined>>;

/** NO_COLOR overrides FORCE_COLOR. Without both, only a terminal gets colours. */
export function paintFor(env: ColorVariables, isTerminal: boolean): Paint {
  const { NO_COLOR: no = "", FORCE_COLOR: force, TERM: kind } = env;
  if (no !== "") return noPaint;
  if (force !== undefined && force !== "") return force === "0" || force === "false" ? noPaint : colours;
  return isTerminal && kind !== "dumb" ? colours : noPaint;
}
