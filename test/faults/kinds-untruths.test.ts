import { describe, expect, test } from 'vitest';
import {
  groupProblems,
  type KindEvidence,
  referenceProblems,
  sharedKeyProblems,
  upsertProblems,
} from './support/kinds-untruths.ts';

const line = (row: number, key: string, outcome: string, id = '') => ({ row: `${row}`, key, outcome, id });
const entity = (key: string, id: string) => ({ number: 0, key, id });
const post = (body: object) => ({ method: 'POST', target: '/', body: JSON.stringify(body) });

describe('rows of one key', () => {
  const accounts = new Map([['P1', ['a', 'b']]]);
  const request = (...numbers: string[]) =>
    post({ name: 'P1', accounts: numbers.map((accountNumber) => ({ accountNumber })) });
  const made = [entity('P1', 'id-1')];
  const whole: KindEvidence = {
    made,
    results: [line(1, 'P1', 'drafted', 'id-1'), line(2, 'P1', 'drafted', 'id-1')],
    requests: [request('a', 'b')],
  };
  test.each<[string, Partial<KindEvidence>, number]>([
    ['that are one request', {}, 0],
    ['that are in doubt together', { results: [line(1, 'P1', 'in-doubt'), line(2, 'P1', 'in-doubt')] }, 0],
    ['that ended apart', { results: [line(1, 'P1', 'drafted', 'id-1'), line(2, 'P1', 'failed')] }, 1],
    ['of which one is missing', { results: [line(1, 'P1', 'drafted', 'id-1')] }, 1],
    ['that were sent in parts', { requests: [request('a')] }, 1],
    ['that were made and failed', { results: [line(1, 'P1', 'failed'), line(2, 'P1', 'failed')] }, 1],
    ['that were not made', { made: [] }, 1],
  ])('%s', (_, over, problems) => {
    expect(groupProblems({ ...whole, ...over }, accounts)).toHaveLength(problems);
  });
});

describe('a row that refers to another', () => {
  const request = (crmId: string, id?: string) =>
    post({ additionalInformation: { crmId }, ...(id === undefined ? {} : { parent: { id } }) });
  test.each([
    ['by its id', [request('A'), request('B', 'id-a')], 0],
    ['by the id of a third', [request('A'), request('B', 'id-c')], 1],
    ['by none', [request('A'), request('B')], 1],
  ])('%s', (_, requests, problems) => {
    const made = [entity('A', 'id-a'), entity('B', 'id-b')];
    expect(referenceProblems({ results: [], made, requests }, new Map([['B', 'A']]))).toHaveLength(problems);
  });
});

describe('a row that says that the service has its fields', () => {
  const created = post({ additionalInformation: { crmId: 'A' }, details: { name: 'Old' } });
  const updated = { method: 'PATCH', target: '/v1/subclients/id-a', body: '{"details":{"name":"New"}}' };
  test.each([
    ['and it has them', 'updated', [created, updated], 0],
    ['and was not sent', 'skipped', [created], 1],
    ['and is in doubt', 'in-doubt', [created], 0],
  ])('%s', (_, outcome, requests, problems) => {
    const evidence = { results: [line(1, 'A', outcome, 'id-a')], made: [entity('A', 'id-a')], requests };
    expect(upsertProblems(evidence, new Map([['A', 'New']]))).toHaveLength(problems);
  });
});

describe('a key of two files at the same time', () => {
  const entities = [entity('A', 'id-a')];
  const created = line(1, 'A', 'created', 'id-a');
  test.each([
    ['created by one, known to the other', created, [line(9, 'A', 'skipped', 'id-a')], 0],
    ['in doubt', line(1, 'A', 'in-doubt'), [line(9, 'A', 'invalid')], 0],
    ['created by both', created, [line(9, 'A', 'created', 'id-a')], 1],
    ['made, and refused in both', line(1, 'A', 'failed'), [line(9, 'A', 'invalid')], 1],
    ['created as another', line(1, 'A', 'created', 'id-b'), [line(9, 'A', 'invalid')], 1],
    ['lost by one', created, [], 1],
  ])('%s', (_, one, other, problems) => {
    expect(sharedKeyProblems([[one], other], entities, ['A'])).toHaveLength(problems);
  });
});
