/** An object or a list that a scan is in. */
type Around = { readonly name: string; readonly isList: boolean };

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;
/** More of them tell nobody where the records are. */
const MOST = 5;

/** JSON pointers to the lists of objects that an object holds, not inside other lists, as far as its text goes. */
export function listPointers(text: string): readonly string[] {
  const found: string[] = [];
  const around: Around[] = [];
  let name = '';
  let before = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ':') name = nameOf(before);
    if (token === '{' && before === '[' && isOnlyList(around)) found.push(pointerOf(around));
    if (token === '{' || token === '[') around.push({ name, isList: token === '[' });
    if (token === '}' || token === ']') around.pop();
    before = token;
    if (found.length === MOST) break;
  }
  return found;
}

/** Whether the innermost is the only list; the outermost is the object itself. */
function isOnlyList(around: readonly Around[]): boolean {
  return around.length > 1 && around.findIndex(({ isList }) => isList) === around.length - 1;
}

function pointerOf(around: readonly Around[]): string {
  return around
    .slice(1)
    .map(({ name }) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('');
}

function nameOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return '';
  }
}
