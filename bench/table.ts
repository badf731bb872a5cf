import { FIGURES, type Figure } from './figures.ts';
import { amount, type Measured, type Results, targetText } from './results.ts';

const HEADER = ['figure', 'target', 'measured', 'spread', 'rounds', 'result'] as const;

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
  return rows
    .map((cells) =>
      cells
        .map((cell, i) => padded(cell, widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Every figure of the table in Markdown; without results each is "not measured". */
export function renderMarkdown(results: Results | null): string {
  const lines = FIGURES.map((figure) => {
    const found = results?.figures.find(({ id }) => id === figure.id);
    return found === undefined
      ? [figure.title, targetText(figure), 'not measured', '', '', '']
      : cellsOf(figure, found);
  });
  const rows = [HEADER, HEADER.map(() => '---'), ...lines];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cellsOf(figure: Figure, { median, low, high, values, met }: Measured): readonly string[] {
  const { unit } = figure;
  return [
    figure.title,
    targetText(figure),
    amount(median, unit),
    values.length === 1 ? '' : `${amount(low, unit)} to ${amount(high, unit)}`,
    String(values.length),
    met ? 'met' : 'not met',
  ];
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(width - [...text].length);
}
