import type { Setting } from './list-settings.ts';

/** The settings as a Markdown table. */
export function renderSettings(settings: readonly Setting[]): string {
  const rows = settings.map((setting) => [
    `\`${setting.path}\``,
    setting.values,
    defaultCell(setting),
    setting.description,
  ]);
  return [['setting', 'values', 'default', 'what it says'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.map(cellText).join(' | ')} |`)
    .join('\n');
}

function defaultCell({ isRequired, default: value }: Setting): string {
  if (isRequired) return 'required';
  return value === null ? 'none' : `\`${value}\``;
}

/** Markdown takes a bare `|` for the end of a cell. */
function cellText(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}
