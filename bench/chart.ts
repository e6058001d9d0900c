/** Charts as SVG: lines over time or size, and bars with a goal. */

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [number, number])[];
}

export interface LineChart {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly Series[];
  /** Sizes that grow tenfold from step to step are shown at equal distances. */
  readonly isLogarithmic?: boolean;
}

export interface Bar {
  readonly name: string;
  readonly ratio: number;
  readonly goal: number;
  readonly met: boolean;
}

const frame = { width: 760, height: 260, left: 70, right: 170, top: 34, bottom: 40 } as const;
const colours = ["#2563eb", "#d97706", "#059669", "#9333ea", "#dc2626", "#0891b2"];
const style = "font-family:system-ui,sans-serif;font-size:12px";

export function lineChart({ title, x, y, series, isLogarithmic = false }: LineChart): string {
  const scale = (value: number): number => (isLogarithmic ? Math.log10(Math.max(value, 1e-9)) : value);
  const across = rangeOf(series.flatMap(({ points }) => points.map(([at]) => scale(at))));
  const values = series.flatMap(({ points }) => points.map(([, value]) => value));
  const up = isLogarithmic ? rangeOf(values.map(scale)) : { least: 0, most: Math.max(...values, 1e-9) * 1.1 };
  const width = frame.width - frame.left - frame.right;
  const height = frame.height - frame.top - frame.bottom;
  const px = (at: number): number => frame.left + share(scale(at), across) * width;
  const py = (value: number): number => frame.top + (1 - share(isLogarithmic ? scale(value) : value, up)) * height;
  const steps = [0, 0.25, 0.5, 0.75, 1].map((part) => up.least + part * (up.most - up.least));
  const grid = steps.map((step) => {
    const value = isLogarithmic ? 10 ** step : step;
    const at = py(value);
    return `<line x1="${frame.left}" x2="${frame.left + width}" y1="${at}" y2="${at}" stroke="#8883"/>${text(frame.left - 6, at + 4, short(value), "end")}`;
  });
  const lines = series.map(({ points, name }, index) => {
    const colour = colours[index % colours.length] ?? "#000";
    const path = points.map(([at, value]) => `${px(at).toFixed(1)},${py(value).toFixed(1)}`).join(" ");
    const label = `<text x="${frame.left + width + 8}" y="${frame.top + 12 + index * 16}" fill="${colour}">${escape(name)}</text>`;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.6"/>${label}`;
  });
  const marks = marksOf(series, isLogarithmic).map((at) => text(px(at), frame.height - 22, short(at), "middle"));
  const names = [
    text(frame.left, 18, `${title} (${y})`, "start"),
    text(frame.left + width, frame.height - 6, x, "end"),
  ];
  return picture(frame.height, [...grid, ...lines, ...marks, ...names]);
}

/** Each bar is a ratio, and its mark is the goal. Both use one scale, as a share of the goal. */
export function barChart(title: string, bars: readonly Bar[]): string {
  const row = 22;
  const left = 460;
  const width = frame.width - left - 120;
  const rows = bars.map(({ name, ratio, goal, met }, index) => {
    const y = 34 + index * row;
    const part = Math.min(ratio / goal / 2, 1);
    const colour = met ? "#059669" : "#dc2626";
    const bar = `<rect x="${left}" y="${y}" width="${(part * width).toFixed(1)}" height="14" fill="${colour}"/>`;
    const mark = `<line x1="${left + width / 2}" x2="${left + width / 2}" y1="${y - 3}" y2="${y + 17}" stroke="#888"/>`;
    const verdict = `${ratio.toFixed(2)} (${goal}) ${met ? "met" : "missed"}`;
    return [text(left - 8, y + 12, name, "end"), bar, mark, text(left + width + 8, y + 12, verdict, "start")].join("");
  });
  return picture(44 + bars.length * row, [text(8, 18, title, "start"), ...rows]);
}

interface Range {
  readonly least: number;
  readonly most: number;
}

function rangeOf(values: readonly number[]): Range {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return least === most ? { least: least - 1, most: most + 1 } : { least, most };
}

const share = (value: number, { least, most }: Range): number => (value - least) / (most - least);

function marksOf(series: readonly Series[], isLogarithmic: boolean): readonly number[] {
  const all = [...new Set(series.flatMap(({ points }) => points.map(([at]) => at)))].sort((a, b) => a - b);
  if (isLogarithmic) return all;
  return all.filter((_, index) => index % Math.max(1, Math.floor(all.length / 6)) === 0);
}

function short(value: number): string {
  if (Math.abs(value) >= 1e6) return `${round(value / 1e6)}M`;
  if (Math.abs(value) >= 1e3) return `${round(value / 1e3)}k`;
  return round(value);
}

const round = (value: number): string => String(Number(value.toPrecision(3)));

function text(x: number, y: number, content: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" fill="#666">${escape(content)}</text>`;
}

function escape(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function picture(height: number, parts: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${frame.width} ${height}" style="${style}">`;
  return `${head}\n${parts.join("\n")}\n</svg>\n`;
}

/** Several charts below each other, in one picture. */
export function stacked(charts: readonly string[]): string {
  const parts = charts.map((chart, index) => {
    const inner = chart.slice(chart.indexOf(">") + 1, chart.lastIndexOf("</svg>"));
    return `<g transform="translate(0 ${index * frame.height})">${inner}</g>`;
  });
  return picture(charts.length * frame.height, parts);
}
