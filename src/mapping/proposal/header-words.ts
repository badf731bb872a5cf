/**
 * How a header can be read: as it stands, without a unit (`Volume (EUR)`, `Umsatz in EUR`), and
 * without what else stands in brackets. A reading that leaves something out that could matter says
 * so, for the reader of the proposal.
 */
import { wordsOf } from './names.ts';

type Reading = { readonly name: string; readonly note: string | null };

/** Longer headers are sentences; a bracket in them is no unit. */
const LONGEST = 200;

const SCALED = 'the header speaks of thousands or millions, and cells are sent as they stand';
const LEFT_OUT = 'what stands in brackets in the header was left out of account';

export function readingsOf(header: string): readonly Reading[] {
  const whole = { name: header, note: null };
  if (header.length > LONGEST) return [whole];
  const inBrackets = [...header.matchAll(/[([{]([^)\]}]*)[)\]}]/g)].map(([, text = '']) => text);
  return [
    whole,
    ...(inBrackets.length === 0 ? withoutCurrency(header) : withoutBrackets(header, inBrackets)),
  ];
}

function withoutCurrency(header: string): readonly Reading[] {
  const words = header.trim().split(/[\s_,]+/);
  if (!wordsOf('currency').has(words.pop()?.toLowerCase() ?? '')) return [];
  if (words.at(-1)?.toLowerCase() === 'in') words.pop();
  return [{ name: words.join(' '), note: null }];
}

function withoutBrackets(header: string, inBrackets: readonly string[]): readonly Reading[] {
  const name = header.replaceAll(/[([{][^)\]}]*[)\]}]/g, ' ');
  const kinds = inBrackets.map((text) => ({ text, kind: kindOf(text) }));
  const words = kinds.filter(({ kind }) => kind === 'words').map(({ text }) => text);
  const note = kinds.some(({ kind }) => kind === 'scale') ? SCALED : null;
  const told = words.join(' ');
  return [
    ...(words.length === 0
      ? []
      : [`${told} ${name}`, `${name} ${told}`].map((text) => ({ name: text, note }))),
    { name, note: words.length === 0 ? note : [LEFT_OUT, note ?? []].flat().join('; ') },
  ];
}

function kindOf(text: string): 'unit' | 'scale' | 'words' {
  const words = text
    .toLowerCase()
    .split(/[\s/.,_-]+/)
    .filter((word) => word !== '');
  const kinds = (['unit', 'currency', 'scale'] as const).map(wordsOf);
  if (!words.every((word) => kinds.some((kind) => kind.has(word)))) return 'words';
  return words.some((word) => wordsOf('scale').has(word)) ? 'scale' : 'unit';
}
