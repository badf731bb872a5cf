import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { type Begun, type Ended, type Flow, type FlowOptions, type Started, startFlow } from './flow.ts';

/** What `--json` prints of a file, as far as tests look at it. */
const lineSchema = z.object({
  file: z.string(),
  job: z.string().nullable(),
  result: z.enum(['done', 'failed', 'paused']),
  why: z.array(z.string()),
  run: z.string().nullable(),
  rows: z.number().nullable(),
  exitCode: z.number(),
  moved: z.string().nullable(),
  note: z.string().nullable(),
});
export type FileLine = z.infer<typeof lineSchema>;

/** A home with an inbox and jobs of the test's own. */
export type InboxFlow = {
  readonly flow: Flow;
  readonly inbox: string;
  /** Writes a file into the inbox, sub-folders made. */
  drop(path: string, content: string): Promise<string>;
  /** Starts `onboard start` or `onboard watch` with short times as a process. */
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Started;
  /** Begins one in this process. */
  begin(args: readonly string[], env?: Readonly<Record<string, string>>): Begun;
  /** Names in a folder of the home, sorted, but hidden ones. */
  list(folder: string): Promise<string[]>;
  /** The text of the note that was written about a file. */
  note(line: FileLine): Promise<string>;
};

/** Without a job of the test's own: the one of the shipped subclients-create, by its whole name and below any folder. */
const JOBS = { subclients: 'operation: subclient.create\nfiles: "**/subclients*"\nkey: externalId\n' };

export async function startInboxFlow(
  jobs: Readonly<Record<string, string>> = JOBS,
  options: FlowOptions = {},
): Promise<InboxFlow> {
  const flow = await startFlow(options);
  const inbox = join(flow.home, 'inbox');
  const folder = join(flow.home, 'jobs');
  await mkdir(inbox, { recursive: true });
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(jobs)) await writeFile(join(folder, `${name}.yaml`), text);
  return {
    flow,
    inbox,
    async drop(path, content) {
      const file = join(inbox, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      return file;
    },
    start: (args, env) => flow.start(quick(args), { ONBOARD_JOBS: folder, ...env }),
    begin: (args, env) => flow.begin(quick(args), { ONBOARD_JOBS: folder, ...env }),
    async list(name) {
      const names = await readdir(join(flow.home, name)).catch(() => []);
      return names.filter((one) => !one.startsWith('.')).sort();
    },
    note: (line) => readFile(line.note ?? '', 'utf8'),
  };
}

function quick([command = 'start', ...args]: readonly string[]): string[] {
  return [command, '--json', '--rest', '0.2', ...args];
}

/** The lines of `--json`, by file. */
export function fileLines({ stdout }: Pick<Ended, 'stdout'>): FileLine[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => lineSchema.parse(JSON.parse(line)));
}

/** A CSV of subclients whose keys and names nobody else has. */
export function rowsOf(prefix: string, rows: number): string {
  const lines = Array.from({ length: rows }, (_, i) => `${prefix}-${i + 1},${prefix} ${i + 1} Ltd`);
  return ['externalId,details.name', ...lines, ''].join('\n');
}
