/**
 * What a file brings against what is known at the service: how many of its records are new, have
 * changed, are as they were. Nothing counts as unchanged of which nothing is known.
 */
import type { Change } from '../../delivery/known-content.ts';
import { flattenRecord } from '../../model/json-record.ts';
import type { JsonObject } from '../../model/request.ts';
import type { Fate, Forecast } from './forecast.ts';
import type { LastDelivery } from './ledger.ts';

/**
 * `notSent`: changed, and the job updates nothing. `notKnown`: nobody knows what was sent before.
 */
export const PLANNED = ['new', 'changed', 'unchanged', 'notSent', 'notKnown', 'gone'] as const;
export type Planned = (typeof PLANNED)[number];

/** Beside those: of the new, the ones that are perhaps known under another key. */
export const LISTED = [...PLANNED, 'repeated'] as const;
export type Listed = (typeof LISTED)[number];

/** As `--list` names a record. */
export type PlannedRecord = {
  /** Of this file; `null`: it is gone. */
  readonly row: number | null;
  readonly key: string | null;
  readonly fields: readonly string[];
};

/** `listed`: the records to name, of one kind. */
export function createPlan(listed: Listed | null) {
  const counts = { new: 0, changed: 0, unchanged: 0, notSent: 0, notKnown: 0, gone: 0, repeated: 0 };
  const fields = new Map<string, number>();
  const records: PlannedRecord[] = [];
  const count = (kind: Listed, record: PlannedRecord) => {
    counts[kind] += 1;
    for (const field of record.fields) fields.set(field, (fields.get(field) ?? 0) + 1);
    if (kind === listed) records.push(record);
  };
  return {
    add(forecast: Forecast) {
      const { fate, leader, key } = forecast;
      const { change } = fate;
      if (change === undefined) return;
      const record = { row: leader.row, key, fields: fieldsOf(change) };
      count(plannedOf(change, fate.kind === 'sent'), record);
      if (isRepeated(fate)) count('repeated', { ...record, fields: [] });
    },
    addGone: (key: string) => count('gone', { row: null, key, fields: [] }),
    result(against: LastDelivery | null, isFull: boolean) {
      return {
        /** The job's last file before this one. */
        against,
        ...counts,
        /** `null`: the job's files say what is new and changed, not what is gone. */
        gone: isFull ? counts.gone : null,
        /** How many records differ in each field, where that is known; commonest first. */
        fields: Object.fromEntries([...fields].sort(([, a], [, b]) => b - a)),
        ...(listed !== null && { listed: records }),
      };
    },
  };
}

function isRepeated(fate: Fate): boolean {
  return fate.kind === 'sent' && fate.warnings.some(({ code }) => code === 'payee_repeated');
}

function plannedOf(change: Change, isSent: boolean): Planned {
  switch (change.kind) {
    case 'new':
    case 'unchanged':
      return change.kind;
    case 'unknown':
      return 'notKnown';
    case 'changed':
      return isSent ? 'changed' : 'notSent';
    default:
      return change satisfies never;
  }
}

/** Lists count as one field. */
function fieldsOf(change: Change): readonly string[] {
  if (change.kind !== 'changed') return [];
  if (change.body !== undefined) return [...new Set(pathsIn(change.body))];
  return change.accounts === 'same' ? [] : ['accounts'];
}

function pathsIn(body: JsonObject): readonly string[] {
  return [...flattenRecord(body).keys()].map((path) => path.replace(/\.\d+(\..*)?$/, ''));
}
