import type { Book, Sheet } from './workbook-book.ts';
import type { SheetLayout } from './workbook-layout.ts';

/** What of a workbook may surprise whoever sent it; names of sheets, no cell values. */
export function notesOf(
  book: Book,
  read: { readonly sheet: Sheet; readonly layout: SheetLayout; readonly wanted: string | undefined },
): readonly string[] {
  const { sheet, layout, wanted } = read;
  const others = book.sheets.filter((other) => other !== sheet);
  const notes: string[] = [];
  if (wanted === undefined && others.length > 0) {
    notes.push(
      `only the sheet "${sheet.name}" is read, not ${others.map(({ name }) => `"${name}"`).join(', ')}: name another under format.sheet (preview: --sheet)`,
    );
  }
  if (layout.hasHidden) notes.push('hidden rows and columns are read like the others');
  return notes;
}
