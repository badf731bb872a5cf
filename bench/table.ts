import { FIGURES, type Figure } from './figures.ts';
import {
  amount,
  type Measured,
  NOT_COUNTED,
  NOT_COUNTED_WORDS,
  quietOnly,
  type Results,
  targetText,
  verdictOf,
} from './results.ts';
import { median, type RunCost } from './samples.ts';

const HEADER = ['figure', 'target', 'measured', 'spread', 'rounds', 'used by others', 'result'] as const;

/** The measured figures as lines for a terminal, in the table's order. */
export function renderText(measured: readonly Measured[]): string {
  const lines = FIGURES.flatMap((figure) => {
    const found = measured.find(({ id }) => id === figure.id);
    return found === undefined ? [] : [cellsOf(figure, found)];
  });
  const rows = [HEADER, ...lines];
  const widths = HEADER.map((_, column) =>
    Math.max(...rows.map((cells) => [...(cells[column] ?? '')].length)),
  );
  const text = rows.map((cells) =>
    cells
      .map((cell, i) => padded(cell, widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...text, ...footnote(measured).map((words) => `\n${words}`)].join('\n');
}

/** Every figure of the table in Markdown. */
export function renderMarkdown(results: Results): string {
  const lines = FIGURES.map((figure) => {
    const found = results.figures.find(({ id }) => id === figure.id);
    return found === undefined
      ? [figure.title, targetText(figure), NOT_MEASURED, '', '', '', '']
      : cellsOf(figure, found);
  });
  return [markdownTable(HEADER, lines), ...footnote(results.figures)].join('\n\n');
}

const NOT_MEASURED = 'not measured';

/** The compared runs at a service that answers at once: whose details tell of each, and under which names. */
const RUNS = [
  { title: 'bare loop', figure: 'bare', rate: 'peerRowsPerSecond', cpu: 'peerCpu' },
  { title: '`onboard run`', figure: 'bare', rate: 'rowsPerSecond', cpu: 'cpu' },
  { title: 'one job per row', figure: 'job-per-row', rate: 'peerRowsPerSecond', cpu: 'peerCpu' },
] as const;

const RUNS_HEADER = [
  'run',
  'rows/s',
  'CPU a row, all',
  'program',
  'Redis',
  'service',
  'used by others',
] as const;

/** Rows per second of the compared runs, and what a row cost each of them: medians, in Markdown. */
export function renderRuns(results: Results): string {
  const lines = RUNS.map(({ title, figure, rate, cpu }) => {
    const details = results.figures.find(({ id }) => id === figure)?.details ?? {};
    const { [rate]: rates, [`${cpu}Others`]: others = [] } = details;
    if (rates === undefined) return [title, NOT_MEASURED, '', '', '', '', ''];
    const { counts, values } = quietOnly(rates, 'speed', others);
    const costs = ['All', 'Program', 'Redis', 'Service'].map((part) => details[`${cpu}${part}`]);
    return [
      title,
      marked(median(values).toFixed(0), counts),
      ...costs.map((cost) => (cost === undefined ? '' : amount(median(cost), 'µs'))),
      othersText(others, 'speed'),
    ];
  });
  return markdownTable(RUNS_HEADER, lines);
}

/** What a row cost and what others used, in a line of text. */
export function costText(cost: RunCost): string {
  if (cost === null) return 'CPU not measured';
  const parts = Object.entries(cost.cpuMicros).map(
    ([part, micros]) => `${part.toLowerCase()} ${micros.toFixed(0)}`,
  );
  return `CPU µs a row: ${parts.join(', ')}; others used ${amount(cost.others, '%')} of the machine`;
}

function markdownTable(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const rows = [header, header.map(() => '---'), ...lines];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cellsOf(figure: Figure, measured: Measured): readonly string[] {
  const { unit, kind } = figure;
  const { median, low, high, values, others } = measured;
  const { counts, values: counted } = quietOnly(values, kind, others);
  return [
    figure.title,
    targetText(figure),
    marked(amount(median, unit), counts),
    counted.length === 1 ? '' : `${amount(low, unit)} to ${amount(high, unit)}`,
    counted.length === values.length ? String(values.length) : `${counted.length} of ${values.length}`,
    othersText(others, kind),
    verdictOf(measured),
  ];
}

function marked(text: string, counts: boolean): string {
  return counts ? text : `${text} ${NOT_COUNTED}`;
}

/** The most in any of the rounds that are shown. */
function othersText(others: readonly number[], kind: Figure['kind']): string {
  if (others.length === 0) return NOT_MEASURED;
  return amount(Math.max(...quietOnly(others, kind, others).values), '%');
}

function footnote(measured: readonly Measured[]): readonly string[] {
  return measured.some((one) => verdictOf(one) === 'not counted') ? [NOT_COUNTED_WORDS] : [];
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(width - [...text].length);
}
