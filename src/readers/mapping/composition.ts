/** Cells that the definition makes of others, each in a slot of its own behind the file's. */
import { columnsOf } from '../../config/job-definition.ts';
import type { JsonValue } from '../../model/request.ts';
import { type ColumnSlot, type Compilation, placeOf } from './compilation.ts';
import type { ConvertedColumn } from './field-conversion.ts';
import type { RowContext } from './row-context.ts';
import { isNothing } from './row-key.ts';

type Cell = JsonValue | undefined;
type Made = ColumnSlot & { readonly parts: readonly ColumnSlot[] };

export function composedPlace(source: ConvertedColumn, compilation: Compilation): Made | string | null {
  const parts: ColumnSlot[] = [];
  for (const name of columnsOf(source)) {
    const place = placeOf(name, compilation);
    if (place === null || typeof place === 'string') return place;
    parts.push(place);
  }
  const [only, other] = parts;
  const isMade = other ?? source.split ?? source.remove;
  if (only !== undefined && isMade === undefined) return { ...only, parts };
  const column = parts.map((part) => part.column).join(' + ');
  const { composed, source: file } = compilation;
  // The first slot behind the file's: columns that no record has.
  const slot = file.columns.length + 1 + composed.length;
  composed.push({ slot, parts, source });
  return { column, slot, parts };
}

export function withComposed(context: RowContext, composed: Compilation['composed']): RowContext {
  if (composed.length === 0) return context;
  const values = [...context.values];
  const typed = [...context.typed];
  for (const { slot, parts, source } of composed) {
    const slots = parts.map((part) => part.slot);
    const cells = slots.map((one) => values[one]);
    values[slot] = compose(cells, source);
    if (slots.some((one) => typed.includes(one))) typed.push(slot);
  }
  return { ...context, values, typed };
}

const isFilled = (cell: JsonValue) => !isNothing(String(cell ?? ''));

/** What is no text makes a list, which is refused. */
function compose(cells: readonly Cell[], { join, split, part, remove }: ConvertedColumn): Cell {
  const filled = cells.flatMap((cell = null) => (isFilled(cell) ? [cell] : []));
  const texts = filled.filter((cell) => typeof cell === 'string');
  if (filled.length === 0) return cells[0];
  const isOne = filled.length === 1 && split === undefined;
  if (texts.length < filled.length) return isOne ? filled[0] : filled;
  const joined = texts.join(join);
  const text = split === undefined ? joined : partOf(joined.trim(), split, part);
  return remove === undefined ? text : text.replaceAll(/\s+/g, '');
}

function partOf(text: string, split: string, part: ConvertedColumn['part']): string {
  const pieces = text.split(split === ' ' ? /\s+/ : split);
  const [first = ''] = pieces;
  if (part === 'rest') return text.slice(first.length + split.length).trim();
  const piece = typeof part === 'number' ? pieces[part - 1] : first;
  return (piece ?? '').trim();
}
