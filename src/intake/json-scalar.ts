import type { Cursor } from './json-cursor.ts';
import { brokenJson, moveTo } from './json-cursor.ts';
import { endOfValue, newDepthScan } from './json-depth.ts';
import { inspectJson } from './json-inspect.ts';
import { MAX_RECORD_CHARS } from './limits.ts';

/** Moves past the string, number or word at the cursor and gives it as it stands; `null` where more text is needed. */
export function takeScalar(path: string, cursor: Cursor, final: boolean): string | null {
  const { text, at } = cursor;
  const end = text.charAt(at) === '"' ? endOfValue(newDepthScan(), text, at) : endOfWord(text, at);
  const isWhole = end !== -1 && (end < text.length || final || text.charAt(at) === '"');
  const length = (isWhole ? end : text.length) - at;
  if (length > MAX_RECORD_CHARS) throw brokenJson(path, cursor, `at most ${MAX_RECORD_CHARS} characters`);
  if (!isWhole && !final) return null;
  const literal = text.slice(at, at + length);
  const found = inspectJson(literal);
  if (found.kind === 'valid' && isWhole) {
    moveTo(cursor, at + length);
    return literal;
  }
  moveTo(cursor, found.kind === 'broken' ? at + found.at : text.length);
  throw brokenJson(path, cursor, found.kind === 'broken' ? found.expected : 'a closing quote');
}

function endOfWord(text: string, from: number): number {
  WORD_END.lastIndex = from;
  const end = WORD_END.exec(text)?.index ?? text.length;
  return Math.max(end, from + 1);
}

const WORD_END = /[,\]}\s]/g;
