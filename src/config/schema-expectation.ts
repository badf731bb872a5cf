import type { z } from 'zod';

const NOUNS: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'settings with names'],
  ['record', 'settings with names'],
  ['undefined', 'nothing'],
]);

/** What would have been right, to follow "expected". */
export function describeExpected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return NOUNS.get(issue.expected) ?? issue.expected;
    case 'invalid_value':
      return alternatives(issue.values.map((value) => JSON.stringify(value)));
    case 'invalid_union':
      return alternatives(issue.errors.flat().map(describeExpected));
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${amount(issue.minimum, issue.origin)}`;
    case 'too_big':
      return issue.exact === true
        ? `exactly ${amount(issue.maximum, issue.origin)}`
        : `at most ${amount(issue.maximum, issue.origin)}`;
    default:
      return issue.message.replace(/^expected /, '');
  }
}

function amount(limit: number | bigint, origin: string): string {
  const unit = origin === 'string' ? ' character' : origin === 'array' ? ' item' : '';
  return `${limit}${unit}${unit !== '' && limit !== 1 ? 's' : ''}`;
}

function alternatives(list: readonly string[]): string {
  const distinct = [...new Set(list)];
  return distinct.length === 1
    ? distinct.join('')
    : `${distinct.slice(0, -1).join(', ')} or ${distinct.at(-1)}`;
}
