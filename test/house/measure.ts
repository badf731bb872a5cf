/**
 * What the house is held to, in numbers: lines by folder and how long they are, what users can set, what is exported for nobody. Counted are
 * sources (`.ts`, `.tsx`, `.lua`; beside src/ `.mjs` too), neither style nor data.
 */
import { dirname, join } from 'node:path/posix';
import { Command } from 'commander';
import { loadCommands } from '../../src/faces/cli/program.ts';
import { listSettings } from '../docs/settings-table.ts';
import { memoryIo } from '../faces/cli/memory-io.ts';
import { filesBelow, textOf } from './source-files.ts';

const SOURCE = /\.(?:tsx?|lua)$/;
const CODE = /\.(?:tsx?|m?ts|mjs)$/;
const LONG_FILE = 600;
const LONG_COMMENT = 100;

export type Figures = {
  /** Lines of each folder of src/; files that lie in none belong to `faces`. */
  readonly src: Numbers;
  readonly lines: Numbers;
  readonly counts: Numbers;
  /** Mean signs of a line of code without its indentation, by folder of src/ and of all. */
  readonly signs: Numbers;
};
type Numbers = Readonly<Record<string, number>>;

export async function measure(): Promise<Figures> {
  const sources = textsBelow('src', SOURCE);
  const folders = byFolder(sources);
  const all = [...sources.values()];
  return {
    src: Object.fromEntries([...folders].map(([name, text]) => [name, linesOf(text)])),
    lines: {
      test: linesBelow('test', CODE),
      'bench and scripts': linesBelow('bench', CODE) + linesBelow('scripts', CODE),
    },
    counts: {
      'words of the documents': sum(documents().map(wordsOf)),
      settings: listSettings().length,
      flags: await countFlags(),
      variables: namesOfVariables(all).size,
      'exports that nobody else uses': unusedExports(sources).length,
      'files over 600 lines': all.filter((text) => linesOf(text) > LONG_FILE).length,
      'comment lines over 100 characters': sum(all.map(countLongComments)),
    },
    signs: {
      ...Object.fromEntries([...folders].map(([name, text]) => [name, signsOf(text)])),
      all: signsOf(all.join('\n')),
    },
  };
}

/** What users read: README, CHANGELOG and the pages of docs/. */
function documents(): readonly string[] {
  return [textOf('README.md'), textOf('CHANGELOG.md'), ...textsBelow('docs', /\.md$/).values()];
}

function wordsOf(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length;
}

function textsBelow(folder: string, wanted: RegExp): ReadonlyMap<string, string> {
  const paths = filesBelow(folder).filter((path) => wanted.test(path));
  return new Map(paths.map((path) => [path, textOf(`${folder}/${path}`)]));
}

function linesBelow(folder: string, wanted: RegExp): number {
  return sum([...textsBelow(folder, wanted).values()].map(linesOf));
}

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

function byFolder(sources: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  for (const [path, text] of sources) {
    const [first = ''] = path.split('/');
    const name = first.includes('.') ? 'faces' : first;
    folders.set(name, (folders.get(name) ?? '') + text);
  }
  return new Map([...folders].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Of each command its own, as its help shows them. */
async function countFlags(): Promise<number> {
  const program = new Command();
  const io = memoryIo();
  for (const add of await loadCommands(['--help'])) add(program, io, () => undefined);
  return sum(program.commands.map(({ options }) => options.length));
}

const VARIABLE = /\b(?:(?:MSB|ONBOARD|REDIS)_[A-Z_]*[A-Z]|LOG_LEVEL)\b/g;

/** What a command that hears of events is given. */
const GIVEN = new Set(['ONBOARD_EVENT', 'ONBOARD_EVENT_ID', 'ONBOARD_RUN']);

/** That the sources name, a document explains, and users set. */
function namesOfVariables(sources: readonly string[]): ReadonlySet<string> {
  const named = new Set(sources.flatMap((text) => text.match(VARIABLE) ?? []));
  return new Set(
    (documents().join('\n').match(VARIABLE) ?? []).filter((name) => named.has(name) && !GIVEN.has(name)),
  );
}

const EXPORT = /^export (?:async )?(?:function\*?|const|let|class|type) (\w+)/gm;
const IMPORT = /^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm;
/** Of a whole module, where it is loaded when it is needed. */
const LOADED = /import\('(\.[^']+)'\)/g;

/** Names that are exported although no other file of src/ takes them. */
function unusedExports(sources: ReadonlyMap<string, string>): readonly string[] {
  const taken = new Set([...sources].flatMap(([path, text]) => namesTaken(path, text)));
  return [...sources].flatMap(([path, text]) =>
    [...text.matchAll(EXPORT)]
      .map(([, name = '']) => `${path} ${name}`)
      .filter((name) => !taken.has(name) && !taken.has(`${path} *`)),
  );
}

function namesTaken(path: string, text: string): readonly string[] {
  const named = [...text.matchAll(IMPORT)].flatMap(([, names = '', from = '']) =>
    names.split(',').map((name) => {
      const [exported = ''] = name
        .trim()
        .replace(/^type /, '')
        .split(' as ');
      return `${join(dirname(path), from)} ${exported}`;
    }),
  );
  return [...named, ...[...text.matchAll(LOADED)].map(([, from = '']) => `${join(dirname(path), from)} *`)];
}

const BLOCK_COMMENT = /\/\*[\s\S]*?\*\//g;
const LINE_COMMENT = /^(?:\/\/|--)/;

/** Neither comments nor empty lines count. */
function signsOf(text: string): number {
  const lines = text
    .replaceAll(BLOCK_COMMENT, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !LINE_COMMENT.test(line));
  return Math.round((10 * sum(lines.map((line) => line.length))) / lines.length) / 10;
}

const COMMENT = /^\s*(?:\/\/|\/?\*|--)/;

function countLongComments(text: string): number {
  return text.split('\n').filter((line) => line.length > LONG_COMMENT && COMMENT.test(line)).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
