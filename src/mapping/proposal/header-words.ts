/**
 * How a header can be read: as it stands, without a unit (`Volume (EUR)`, `Umsatz in EUR`), and without what else stands
 * in brackets. A reading that leaves something out that could matter says so, for the reader of the proposal.
 */

/** A name that the header probably gives, and what has to be known of it. */
type Reading = { readonly name: string; readonly note: string | null };

/** Longer headers are sentences; a bracket in them is no unit. */
const LONGEST = 200;

const SCALED = 'the header speaks of thousands or millions, and cells are sent as they stand';
const LEFT_OUT = 'what stands in brackets in the header was left out of account';

const CURRENCIES = 'eur euro euros usd gbp chf pln czk sek nok dkk huf ron cad aud jpy zł € $ £';
/** Words that say how cells are written, not what they are: currencies, forms of dates, yes and no, whether they may be empty. */
const UNITS: ReadonlySet<string> = new Set(
  `${CURRENCIES} % in en w à per pro par por al je na month mth monat mois mes mese maand miesiąc mies pm
  iso code alpha 2 3 3166 dd mm yyyy yy tt jj jjjj aaaa aa rrrr gg y n j o s t yes no ja nein oui non sí si tak nie nee
  required optional mandatory pflicht pflichtfeld obligatoire facultatif obligatorio opcional facoltativo obbligatorio
  verplicht optioneel wymagane opcjonalne`.split(/\s+/),
);
const SCALES: ReadonlySet<string> = new Set(
  `k tsd tys mio mln mn teur keur meur k€ t€ m€ kusd kgbp kchf tchf thousand thousands million millions millionen tausend
  milliers miles migliaia duizend tysiące 000 1000 1'000`.split(/\s+/),
);
const CURRENCY: ReadonlySet<string> = new Set(CURRENCIES.split(' '));

/** The names that a header can give, the most exact first. */
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
  if (!CURRENCY.has(words.pop()?.toLowerCase() ?? '')) return [];
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
  if (!words.every((word) => UNITS.has(word) || SCALES.has(word))) return 'words';
  return words.some((word) => SCALES.has(word)) ? 'scale' : 'unit';
}
