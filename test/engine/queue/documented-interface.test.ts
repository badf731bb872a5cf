import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { filesBelow, textOf } from '../../house/source-files.ts';

const FILES = filesBelow('src')
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: textOf(`src/${path}`) }));
const USERS = FILES.filter(({ text }) => text.includes("from 'bullmq'"));

/** What BullMQ declares as public of the classes whose objects are in hand here. */
const DECLARED = ['queue', 'queue-base', 'queue-getters', 'worker', 'job', 'job-scheduler']
  .map((name) => readFileSync(`node_modules/bullmq/dist/esm/classes/${name}.d.ts`, 'utf8'))
  .join('\n');

const isPublic = (member: string) =>
  new RegExp(`^ {4}(static |readonly |get )*${member}[(<:?]`, 'm').test(DECLARED);

describe('BullMQ is used by its documented interface alone', () => {
  test('in one folder', () => {
    expect(USERS.filter(({ path }) => !path.startsWith('engine/queue/'))).toEqual([]);
    expect(USERS).not.toEqual([]);
  });

  test.each([
    ['a class of its own', /\bextends (Queue|Worker|Job|FlowProducer)\b/],
    ['an overridden or borrowed method', /\boverride\b|\bprototype\b|\bReflect\b|Object\.assign/],
    ['a member that is reached by its name', /\b(queue|worker|job)\[/],
    [
      'a script or key of BullMQ',
      /\bscripts\b|toKey\(|\.keys[.[]|\bdefineCommand\b|\beval(sha)?\b|:(wait|active|delayed)\b/,
    ],
    ['a number of places that is changed later', /\.concurrency\b/],
  ])('without %s', (_, forbidden) => {
    expect(USERS.filter(({ text }) => forbidden.test(text)).map(({ path }) => path)).toEqual([]);
  });

  test('by members that it declares as public', () => {
    const used = USERS.flatMap(({ text }) =>
      [...text.matchAll(/\b(?:queue|worker|job)\.(?!ts\b)(\w+)/g)].map(([, member = '']) => member),
    );
    expect(new Set(used).size).toBeGreaterThan(10);
    expect([...new Set(used)].filter((member) => !isPublic(member) && member !== 'on')).toEqual([]);
  });
});
