/**
 * Texts by others in HTML: nothing in them acts on the page or its reader, and each is cut by its
 * bytes in HTML, so that whatever shows it stays under its size.
 */
import { createContext, useContext } from 'hono/jsx';
import { asCalled, printable } from './terminal.ts';

const MOST_BYTES = 300;

type TextProps = { readonly of: string; readonly bytes?: number };

/** Isolated, so that its text direction affects nothing else. */
export function Text({ of, bytes = MOST_BYTES }: TextProps) {
  return <bdi>{cut(of, bytes)}</bdi>;
}

export function Lines({ of, bytes = MOST_BYTES }: TextProps) {
  return (
    <bdi>
      {of
        .slice(0, bytes)
        .split('\n')
        .map((line) => cut(line, bytes))
        .join('\n')}
    </bdi>
  );
}

/** How commands in this program's own sentences call it. */
export const Called = createContext('onboard');

/** This program's own sentences; text between backticks is code, and times are for people. */
export function Prose({ of, bytes = PROSE_BYTES }: TextProps) {
  const parts = cut(asCalled(of, { command: useContext(Called) }), bytes).split('`');
  return <bdi>{parts.map((part, i) => (i % 2 === 1 ? <code>{part}</code> : <Timed of={part} />))}</bdi>;
}

function Timed({ of }: Pick<TextProps, 'of'>) {
  const parts = of.split(MOMENT);
  return <>{parts.map((part, i) => (i % 2 === 1 ? <Moment of={part} /> : part))}</>;
}

/** In UTC, as `shownTime` and ISO 8601 write it. */
const MOMENT = /(\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)(?!\w))/;

/** The page's script rewrites the text in the viewer's own zone. */
function Moment({ of }: Pick<TextProps, 'of'>) {
  const at = new Date(of);
  if (Number.isNaN(at.getTime())) return <>{of}</>;
  return (
    <time datetime={at.toISOString()} data-show="second">
      {at
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, ' UTC')}
    </time>
  );
}

const PROSE_BYTES = 1_000;

/** Printable text of at most that many bytes once escaped; `…` where it was cut. */
export function cut(text: string, bytes = MOST_BYTES): string {
  // A character takes a byte or more.
  const characters = [...printable(text.slice(0, bytes + 1))];
  let taken = 0;
  const end = characters.findIndex((character) => {
    taken += ESCAPED.get(character) ?? Buffer.byteLength(character);
    return taken > bytes;
  });
  return end === -1 ? characters.join('') : `${characters.slice(0, end).join('')}…`;
}

const ESCAPED = new Map([
  ['&', 5],
  ['<', 4],
  ['>', 4],
  ['"', 6],
  ["'", 5],
]);
