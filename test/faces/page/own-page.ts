import { onTestFinished } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { createBodyTeller } from '../../../src/engine/ledger/refusal-bodies.ts';
import { createActs } from '../../../src/faces/page/acts.ts';
import { rememberFiles } from '../../../src/faces/page/child.ts';
import { ROUTES } from '../../../src/faces/page/open.ts';
import { createPageContext, type PageContext } from '../../../src/faces/page/page-context.ts';
import { batchesOf } from '../../../src/lib/batches.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import type { Visitor } from '../../../src/model/ask.ts';
import { noOutcomes } from '../../../src/model/outcome.ts';
import type { Run } from '../../../src/model/run.ts';
import type { Settlement } from '../../../src/model/settlement.ts';
import { seedRun } from '../../support/doubts.ts';
import type { OwnRedis } from '../../support/redis.ts';
import { newRun } from '../../support/runs.ts';
import { openTestSession, type TestSession } from '../../support/session.ts';
import { csvSource } from '../../support/source.ts';
import { closeChunks, setOfRun } from '../../support/stored.ts';

export const OPERATOR = { name: 'ops-1', role: 'operator' } as const;
export const VIEWER = { name: 'guest', role: 'viewer' } as const;

type Seeded = {
  readonly rows: number;
  readonly settlements: readonly Settlement[];
  readonly definition?: object;
  readonly columns?: readonly string[];
  readonly chunkRows?: number;
  readonly closed?: boolean;
  readonly target?: string;
  readonly type?: 'csv' | 'json';
};

/** What the pages are made of, with the process that acts in the same one, and runs to look at. */
export async function openOwnPage(own: OwnRedis, given: Readonly<Record<string, string>> = {}) {
  const session = await openTestSession(own, onTestFinished, given);
  const { env, ledger, log, clock, service } = session;
  const act = createActs(session, null);
  const ask: PageContext['ask'] = (asked, { name, role }) => act({ by: name, role, ask: asked });
  return {
    page: {
      ...session,
      ...createPageContext({
        env,
        ledger,
        log,
        clock,
        target: service.target,
        ask,
        ...rememberFiles(session),
      }),
    },
    async seed({
      rows,
      settlements,
      definition = {},
      columns = ['externalId'],
      chunkRows = 100,
      closed = true,
      target = service.target,
      type = 'csv',
    }: Seeded): Promise<Run> {
      const whole = {
        operation: 'subclient.create',
        key: 'externalId',
        fields: { 'additionalInformation.crmId': 'externalId' },
        ...definition,
      };
      const { facts } = newRun({ rows });
      const run = newRun({
        definition: jobDefinitionSchema.parse(whole),
        target,
        chunkRows,
        facts: { ...facts, source: { ...csvSource({ columns: [...columns] }), type } },
      });
      await ledger.index.add(run.id, run.target, run.createdAt);
      const { keys } = ledger.of(run.target);
      if (settlements.length <= 20) return seedRun(ledger.redis, keys, { run, settlements, closed });
      const seeded = await seedRun(ledger.redis, keys, { run, settlements: [], closed });
      return { ...seeded, outcomes: await closeAll(session, seeded, settlements) };
    },
  };
}

type Looking = {
  readonly visitor?: Visitor;
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly form?: ConstructorParameters<typeof URLSearchParams>[0];
  readonly bytes?: AsyncIterable<Uint8Array>;
};

/** What the page at that address answers, and its HTML, or the line on top of the page that comes next. */
export async function look(
  page: PageContext,
  path: string,
  { visitor = OPERATOR, method = 'GET', form = {}, bytes }: Looking = {},
) {
  const [place = '', query] = path.split('?');
  const parts = place.split('/');
  const route = ROUTES.find(({ path: own, ...one }) => {
    const names = own.split('/');
    return (
      one.method === method &&
      names.length === parts.length &&
      names.every((name, i) => name.startsWith(':') || name === parts[i])
    );
  });
  if (route === undefined) throw new Error(`no page ${method} ${path}`);
  const named = route.path.split('/').flatMap((name, i) => {
    return name.startsWith(':') ? [[name.slice(1), decodeURIComponent(parts[i] ?? '')]] : [];
  });
  const reply = await route.answer({
    visitor,
    params: Object.fromEntries(named),
    query: new URLSearchParams(query),
    form: new URLSearchParams(form),
    bytes: bytes ?? null,
    page: { ...page, standing: () => Promise.reject(new Error('not asked for')) },
  });
  const line = reply.kind === 'redirect' ? (reply.said ?? '') : '';
  const html = reply.kind === 'page' ? `${await reply.body}${(await reply.live) ?? ''}` : line;
  return { kind: reply.kind, reply, html };
}

/** The texts between tags, as somebody reads them. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ');
}

/** All chunks of a run at once: row by row it takes seconds. */
async function closeAll({ ledger }: TestSession, run: Run, settlements: readonly Settlement[]) {
  const k = ledger.of(run.target).keys.run(run.id);
  const outcomes = noOutcomes();
  for (const { outcome } of settlements) outcomes[outcome] += 1;
  const chunks = [...batchesOf(settlements, run.chunkRows)];
  await closeChunks(ledger.redis, k, new Map(chunks.map((rows, i) => [i + 1, rows])));
  return outcomes;
}

export async function keep(
  { ledger }: TestSession,
  run: Run,
  what: 'sources' | 'bodies',
  row: number,
  text: string,
) {
  const { keys } = ledger.of(run.target);
  const k = keys.run(run.id);
  if (what === 'sources') return setOfRun(ledger.redis, k, what, { [row]: text });
  const tell = createBodyTeller(run.id).begin({ keys, seal: CLEAR });
  const { digest = '', text: box = '' } = tell({ outcome: 'rejected', code: '', body: text }) ?? {};
  return setOfRun(ledger.redis, k, what, { [row]: digest, [digest]: box });
}
