/** The audit stream: one line for each thing that somebody at the page has asked for, with what became of it. The latest of them are kept. */
import type { AskAnswer, Asked } from '../model/ask.ts';
import type { TargetSession } from '../session.ts';

/** Enough for years of people; about 200 bytes each. */
const KEPT = 100_000;

export function createAudit({ ledger, service, log }: TargetSession) {
  const { keys } = ledger.of(service.target);
  return async ({ by, role, ask }: Asked, answer: AskAnswer): Promise<void> => {
    const run = 'run' in ask ? ask.run : answer.kind === 'done' ? (answer.run ?? '') : '';
    const rows = ask.kind === 'resolve' ? String(ask.decisions.length) : '';
    log.info('asked for at the page', { by, what: ask.kind, run, result: answer.kind });
    await ledger.redis.xadd(
      keys.audit,
      'MAXLEN',
      '~',
      KEPT,
      '*',
      ...['at', new Date().toISOString(), 'by', by, 'role', role, 'what', ask.kind],
      ...['run', run, 'rows', rows, 'result', answer.kind],
    );
  };
}
