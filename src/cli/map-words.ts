import { countOf, type Io, shellWord, tell } from '../lib/terminal.ts';
import type { JobProposal } from '../mapping/proposal/propose-job.ts';
import type { SourceInfo } from '../model/source.ts';

/** How a file was understood, in a few words. */
export function describeSource({ type, encoding, delimiter, sheet }: SourceInfo): string {
  const kind = type === 'xlsx' ? 'an Excel workbook' : type.toUpperCase();
  const details = [
    type === 'xlsx' ? null : encoding,
    delimiter === null ? null : `delimiter ${JSON.stringify(delimiter)}`,
    sheet === null ? null : `sheet ${JSON.stringify(sheet)}`,
  ];
  return [kind, ...details.filter((detail) => detail !== null)].join(', ');
}

/** What a person reads beside the proposal. */
export function tellProposal(
  { fields, itself, open, missingId }: JobProposal,
  { file, out }: { readonly file: string; readonly out: string | undefined },
  io: Io,
): void {
  const placed = itself.length + fields.filter(({ isDecided }) => isDecided).length;
  tell(
    io,
    `${countOf(placed, 'column')} ${placed === 1 ? 'has' : 'have'} a field, ${open.length} ${open.length === 1 ? 'waits' : 'wait'} for a decision under "ignore".`,
  );
  if (missingId !== null) tell(io, `No column was found for "${missingId}", which every row needs.`);
  if (out !== undefined)
    tell(io, `Wrote ${out}. Next: onboard check --job-file ${shellWord(out)} ${shellWord(file)}`);
}
