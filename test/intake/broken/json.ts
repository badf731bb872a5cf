import { anywhere, type Damage, placeOf, splice } from './csv.ts';
import { below, type Original, pick, type Random } from './originals.ts';

/** Puts a member in front of a record's first one: the record has to be marked, so nothing is touched. */
function memberInto(original: Original, random: Random, member: string) {
  const at = placeOf(original, random, '{"ref"') + 1;
  return { ...splice(original, at, `${member},`), touched: [] };
}

/** Damages of JSON files of any shape, by name. */
export const JSON_DAMAGES: Readonly<Record<string, Damage>> = {
  'cut off at a byte': (original, random) => {
    const at = anywhere(original, random);
    return { ...splice(original, at, '', original.text.length - at) };
  },
  'a sign too many': (original, random) =>
    splice(
      original,
      anywhere(original, random),
      pick(random, ['"', ',', '{', '}', '[', ']', ':', '\\', 'x', '1']),
    ),
  'a sign missing': (original, random) =>
    splice(original, placeOf(original, random, pick(random, ['"', ',', '{', '}', '[', ':'])), '', 1),
  'single quotes': ({ text }) => ({
    bytes: Buffer.from(text.replaceAll('"', "'")),
    touched: [],
    isRefused: true,
  }),
  'a member given twice': (original, random) => memberInto(original, random, '"ref":"other"'),
  'a field spelled twice': (original, random) => memberInto(original, random, '"details.name":"other"'),
  'a prototype as a member': (original, random) =>
    memberInto(
      original,
      random,
      pick(random, ['"__proto__":{"a":1}', '"constructor":1', '"a.prototype.b":1', '"\\u005f_proto__":1']),
    ),
  'nesting without end': (original, random) =>
    memberInto(original, random, `"deep":${'['.repeat(2000)}${']'.repeat(2000)}`),
  'a number with too many digits': (original, random) =>
    memberInto(
      original,
      random,
      `"iban":${pick(random, ['12345678901234567890', '1e999', '0.12345678901234567890', '-9007199254740993'])}`,
    ),
  'half a surrogate': (original, random) =>
    memberInto(original, random, pick(random, ['"a":"\\ud83d"', '"a":"x\\udc00"', '"\\ud800":1'])),
  'a NUL escape': (original, random) => memberInto(original, random, '"a":"\\u0000"'),
  'a NUL byte': (original, random) => ({
    ...splice(original, anywhere(original, random), '\0'),
    isRefused: true,
  }),
  'a huge record': (original, random) => memberInto(original, random, `"a":"${'x'.repeat(1_100_000)}"`),
  'bytes that are no UTF-8': (original, random) => {
    const at = placeOf(original, random, 'C-');
    const { text } = original;
    const bytes = Buffer.concat([
      Buffer.from(text.slice(0, at)),
      Buffer.from([0xc3]),
      Buffer.from(text.slice(at)),
    ]);
    return { bytes, touched: [] };
  },
  'a comment': (original, random) => splice(original, anywhere(original, random), '/* note */'),
  'a value that is no JSON': (original, random) => {
    const word = pick(random, ['NaN', 'undefined', 'None', '01', '.5', '+1', "'x'", 'TRUE']);
    return memberInto(original, random, `"a":${word}`);
  },
  'a shuffled block': ({ text }, random) => {
    const at = below(random, text.length - 60);
    const block = [...text.slice(at, at + 60)].reverse().join('');
    return {
      bytes: Buffer.from(text.slice(0, at) + block + text.slice(at + 60)),
      touched: [],
      isOther: true,
    };
  },
};
