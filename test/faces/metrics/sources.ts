import {
  createCounters,
  type LedgerNumbers,
  registerGauges,
  type Sources,
} from '../../../src/faces/metrics/registry.ts';

export const LEDGER: LedgerNumbers = {
  states: new Map([['running', 2]]),
  pendingRows: new Map([['partner-x', 40]]),
  inDoubt: new Map([['partner-x', 7]]),
  lastEnds: new Map([['partner-x', { endedAt: 1_795_000_000, seconds: 61, exitCode: 5 }]]),
  service: 'away',
  workers: 3,
  chunks: { waiting: 12, active: 2, delayed: 0, failed: 0 },
  nextWaitingSeconds: 1.5,
};

/** What a process that does everything would tell. */
export function sampleSources(over: Partial<Sources> = {}): Sources {
  return {
    version: '0.0.0',
    registry: createCounters().registry,
    load: () => ({ inFlight: 4, limit: 20 }),
    isLedgerOpen: async () => true,
    isPageUp: () => true,
    ledger: async () => LEDGER,
    inbox: async () => ({
      waiting: { files: 2, oldestSeconds: 90 },
      processing: { files: 1, oldestSeconds: 5 },
    }),
    ...over,
  };
}

/** The text that a monitor would get. */
export function metricsText(over: Partial<Sources> = {}): Promise<string> {
  const sources = sampleSources(over);
  registerGauges(sources);
  return sources.registry.metrics();
}
