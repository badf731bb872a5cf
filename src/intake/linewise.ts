import type { FileHead } from './file-head.ts';
import { endOfValue, newDepthScan } from './json-depth.ts';
import { inspectJson } from './json-inspect.ts';

/** Whether JSON objects stand one per line, or follow each other in another way, for example printed over several lines. */
export function isLinewise(head: string): boolean {
  const text = head.trimStart();
  const lineEnd = text.indexOf('\n');
  const firstLine = lineEnd === -1 ? text : text.slice(0, lineEnd);
  if (isValid(firstLine)) return true;
  const end = endOfValue(newDepthScan(), text, 0);
  return end === -1 || !text.startsWith('{') || !isValid(text.slice(0, end));
}

/** Whether a file, as far as its head shows, is one object that holds a list of objects. */
export function isOneHolder(head: FileHead): boolean {
  const text = head.text.trimStart();
  if (!text.startsWith('{') || !/:\s*\[\s*\{/.test(text)) return false;
  const end = endOfValue(newDepthScan(), text, 0);
  return end === -1 ? !head.whole : head.whole && text.slice(end).trim() === '';
}

function isValid(text: string): boolean {
  return inspectJson(text).kind === 'valid';
}
