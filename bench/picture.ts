import type { Figure } from './figures.ts';
import { amount, figureOf, type Measured, type Results, targetText, verdictOf } from './results.ts';

const WIDTH = 860;
const LEFT = 16;
/** Where the target stands: the bar of a figure that just meets it ends there. */
const TARGET_X = 420;
/** Longer bars are cut: the number beside them says how long they are. */
const MOST_X = 660;
const ROW = 52;
const TOP = 56;

/** The figures as bars against their targets: an SVG that needs nothing else, for light and dark pages. */
export function renderPicture(results: Results): string {
  const height = TOP + results.figures.length * ROW + 12;
  const { machine, measuredAt } = results;
  const where = `${measuredAt.slice(0, 10)}, ${machine.cores} cores (${machine.processor}), Node ${machine.node}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    '<title>Measured figures against their targets</title>',
    `<style>${STYLE}</style>`,
    `<rect class="page" width="${WIDTH}" height="${height}" rx="6"/>`,
    text({ x: LEFT, y: 24, className: 'quiet' }, `Bars that reach their line meet their target. ${where}.`),
    ...results.figures.flatMap((measured, row) => rowOf(measured, TOP + row * ROW)),
    '</svg>',
    '',
  ].join('\n');
}

function rowOf(measured: Measured, y: number): readonly string[] {
  const figure = figureOf(measured.id);
  const end = barEnd(measured.median, figure);
  const [from, to] = [measured.low, measured.high].map((value) => barEnd(value, figure)).toSorted(ascending);
  const verdict = verdictOf(measured);
  const words = `${amount(measured.median, figure.unit)} (${targetText(figure)}${verdict === 'met' ? '' : `, ${verdict}`})`;
  return [
    text({ x: LEFT, y, className: 'title' }, figure.title.replaceAll('`', '')),
    `<rect class="${BAR_CLASSES[verdict]}" x="${LEFT}" y="${y + 8}" width="${end - LEFT}" height="16" rx="2"/>`,
    `<line class="target" x1="${TARGET_X}" x2="${TARGET_X}" y1="${y + 5}" y2="${y + 27}"/>`,
    `<line class="spread" x1="${from}" x2="${to}" y1="${y + 16}" y2="${y + 16}"/>`,
    text({ x: Math.max(end, to ?? end, TARGET_X) + 8, y: y + 21, className: 'value' }, words),
  ];
}

const BAR_CLASSES = { met: 'met', 'not met': 'missed', 'not counted': 'uncounted' } as const;

/** How far a value gets: its part of the target, or, where little is wanted, the target's part of it. */
function barEnd(value: number, { bound, target }: Pick<Figure, 'bound' | 'target'>): number {
  const part = bound === 'least' ? value / target : target / value;
  return Math.round(Math.min(LEFT + part * (TARGET_X - LEFT), MOST_X));
}

function ascending(a: number, b: number): number {
  return a - b;
}

function text(
  { x, y, className }: { readonly x: number; readonly y: number; readonly className: string },
  content: string,
): string {
  return `<text class="${className}" x="${x}" y="${y}">${escapeXml(content)}</text>`;
}

/** Text as XML has to carry it, within an element or an attribute. */
export function escapeXml(content: string): string {
  return content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328; }
.quiet { fill: #59636e; }
.value { font-weight: 600; }
.page { fill: #ffffff; }
.met { fill: #4c9f70; }
.missed { fill: #d9822b; }
.uncounted { fill: #8c959f; }
.target { stroke: #1f2328; stroke-width: 1.5; }
.spread { stroke: #1f2328; stroke-width: 2; }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc; }
  .quiet { fill: #9198a1; }
  .page { fill: #0d1117; }
  .met { fill: #3d8b5f; }
  .missed { fill: #c06f1c; }
  .target, .spread { stroke: #f0f6fc; }
}
`;
