/** The settings that say how a file writes its numbers. */
type Signs = {
  readonly decimal?: '.' | ',' | undefined;
  readonly grouping?: ',' | '.' | ' ' | "'" | undefined;
};
type Reads = (signs: Signs) => boolean;

const DECIMALS: readonly Signs[] = [{ decimal: '.' }, { decimal: ',' }];
const GROUPINGS: readonly Signs[] = [
  { grouping: ',' },
  { grouping: '.' },
  { grouping: ' ' },
  { grouping: "'" },
];
const BOTH: readonly Signs[] = [
  { decimal: ',', grouping: ' ' },
  { decimal: ',', grouping: "'" },
];

/** Names the settings with which a number that was refused is one, to follow what was expected; or nothing. */
export function decimalRemedy(current: Signs, reads: Reads): string {
  // A grouping sign that the text doesn't have changes nothing.
  const ungrouped = DECIMALS.filter(reads);
  const grouped = GROUPINGS.map((signs) => (current.decimal === undefined ? signs : withDecimal(signs)));
  const single = [...ungrouped, ...grouped.filter((signs) => !reads(decimalOnly(signs)) && reads(signs))];
  return remedy(single.length > 0 ? single : BOTH.filter(reads));
}

/** The same for a whole number. */
export function integerRemedy(reads: Reads): string {
  return remedy(GROUPINGS.filter(reads));
}

function withDecimal({ grouping }: Signs): Signs {
  return { decimal: grouping === '.' ? ',' : '.', grouping };
}

function decimalOnly(signs: Signs): Signs {
  return { decimal: withDecimal(signs).decimal };
}

function remedy(fitting: readonly Signs[]): string {
  return fitting.length === 0
    ? ''
    : `; it is one with ${fitting.map(described).join(' or with ')} in the job definition`;
}

function described(signs: Signs): string {
  return Object.entries(signs)
    .map(([name, sign]) => `${name}: "${sign}"`)
    .join(' and ');
}
