import { expect, test } from 'vitest';
import { createSessions } from '../../../src/faces/web/sessions.ts';
import { shortDigest } from '../../../src/lib/digest.ts';
import type { Role } from '../../../src/model/ask.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SHARED = 'a-token-that-several-know';
const LOOKS = { isSign: false };
const ACTS = { isSign: true };

function personWith(token: string, role: Role = 'viewer', name = 'eva') {
  return { name, role, digest: shortDigest(token, 43) };
}

function opened(people: ReturnType<typeof personWith>[] = [], sharedToken: string | null = SHARED) {
  const state = { at: 0, people };
  const sessions = createSessions({ sharedToken, people: async () => state.people, now: () => state.at });
  const cookieFor = async (secret: string, name = '') => {
    const entered = await sessions.enter({ secret, name }, 'here');
    return entered.kind === 'in' ? entered.cookie : '';
  };
  return { sessions, state, cookieFor };
}

test('a printed key lets one person in, once, by the name that it was made for', async () => {
  const { sessions, cookieFor } = opened();
  const key = sessions.newKey('ops-1');
  const cookie = await cookieFor(key, 'somebody else');
  expect(await sessions.visitorOf(cookie, ACTS)).toEqual({ name: 'ops-1', role: 'operator' });
  expect(await cookieFor(key)).toBe('');
});

test('a printed key ends after ten minutes', async () => {
  const { sessions, state, cookieFor } = opened();
  const [early, late] = [sessions.newKey('a'), sessions.newKey('b')];
  state.at = 10 * MINUTE;
  expect(await cookieFor(early)).not.toBe('');
  state.at += 1;
  expect(await cookieFor(late)).toBe('');
});

test.each([
  ['ops-1', 'ops-1 (as claimed)'],
  ['', 'operator (no name)'],
  ['eva (as claimed)', 'operator (no name)'],
  ['a\u202eb', 'operator (no name)'],
])('who comes by the shared token as %j is not taken for a person with a token', async (name, shown) => {
  const { sessions, cookieFor } = opened();
  expect(await sessions.visitorOf(await cookieFor(SHARED, name), ACTS)).toEqual({
    name: shown,
    role: 'operator',
  });
});

test.each(['', 'no', `${SHARED} `, 'x'.repeat(43)])('%j lets nobody in', async (secret) => {
  expect(await opened([personWith('mine')]).cookieFor(secret)).toBe('');
  expect(await opened([], null).cookieFor(secret)).toBe('');
});

test('a person comes in with the name and the role of the token, and is out when it goes or changes', async () => {
  const { sessions, state, cookieFor } = opened([personWith('mine')]);
  const cookie = await cookieFor('mine', 'another name');
  expect(await sessions.visitorOf(cookie, ACTS)).toEqual({ name: 'eva', role: 'viewer' });
  state.people = [personWith('mine', 'operator')];
  state.at += 2_000;
  expect(await sessions.visitorOf(cookie, ACTS)).toBeNull();
  const promoted = await cookieFor('mine');
  state.people = [];
  state.at += 2_000;
  expect(await sessions.visitorOf(promoted, ACTS)).toBeNull();
});

test('a session ends after 8 hours without a sign of somebody; a page that looks by itself is none', async () => {
  const { sessions, state, cookieFor } = opened();
  const cookie = await cookieFor(SHARED);
  state.at += 8 * HOUR;
  expect(await sessions.visitorOf(cookie, ACTS)).not.toBeNull();
  state.at += 8 * HOUR;
  expect(await sessions.visitorOf(cookie, LOOKS)).not.toBeNull();
  state.at += 1;
  expect(await sessions.visitorOf(cookie, LOOKS)).toBeNull();
});

test('a session ends after a day, whatever its visitor does', async () => {
  const { sessions, state, cookieFor } = opened();
  const cookie = await cookieFor(SHARED);
  for (let hour = 0; hour < 24; hour += 6) {
    expect(await sessions.visitorOf(cookie, ACTS)).not.toBeNull();
    state.at += 6 * HOUR;
  }
  state.at += 1;
  expect(await sessions.visitorOf(cookie, ACTS)).toBeNull();
});

test('who leaves is out, and nobody else', async () => {
  const { sessions, cookieFor } = opened();
  const [gone, stays] = [await cookieFor(SHARED), await cookieFor(SHARED)];
  sessions.leave(gone);
  expect(await sessions.visitorOf(gone, ACTS)).toBeNull();
  expect(await sessions.visitorOf(stays, ACTS)).not.toBeNull();
});

test('after ten failures in a minute an address waits, even with the right token, and others do not', async () => {
  const { sessions } = opened();
  const enter = async (secret: string, address: string) =>
    (await sessions.enter({ secret, name: '' }, address)).kind;
  for (let i = 0; i < 10; i += 1) expect(await enter('no', 'one')).toBe('refused');
  expect(await enter('no', 'one')).toBe('later');
  expect(await enter(SHARED, 'one')).toBe('later');
  expect(await enter(SHARED, 'other')).toBe('in');
});

test('after a hundred failures in a minute from anywhere all wait', async () => {
  const { sessions } = opened();
  for (let i = 0; i < 100; i += 1) await sessions.enter({ secret: 'no', name: '' }, `address ${i}`);
  expect(await sessions.enter({ secret: SHARED, name: '' }, 'another')).toEqual({ kind: 'later' });
});

test('who gets in uses up no tries', async () => {
  const { sessions } = opened();
  for (let i = 0; i < 30; i += 1)
    expect((await sessions.enter({ secret: SHARED, name: '' }, 'one')).kind).toBe('in');
});

test('whom a proxy has logged in has the role of the person of that name, and else only looks', async () => {
  const { sessions } = opened([personWith('x', 'operator', 'eva')]);
  expect(await sessions.visitorNamed('eva')).toEqual({ name: 'eva', role: 'operator' });
  expect(await sessions.visitorNamed('tom')).toEqual({ name: 'tom', role: 'viewer' });
});
