import { expect, test } from 'vitest';
import { makerOf, whyNotApproved, whyUnknown } from '../../src/model/approval.ts';
import type { Actor } from '../../src/model/audit.ts';

const page = (name: string): Actor => ({ name, via: 'page' });
const user = (name: string): Actor => ({ name, via: 'user' });
const said = (name: string, at: string): Actor => ({ name, via: 'ONBOARD_ACTOR', user: at });
const machine = (maker: Actor): Actor => ({ name: 'ci', via: 'machine', user: makerOf(maker) });
const begunBy = ({ name, via, user }: Actor) => {
  return {
    id: 'r',
    registeredBy: via === 'inbox' ? null : name,
    registeredVia: via,
    registeredUser: user ?? null,
  };
};

const SAME = 'have another person look';
const UNKNOWN = 'expected a person with a token of their own at the page';

test.each<readonly [started: Actor, approver: Actor, why: string | null]>([
  [page('ann'), page('bea'), null],
  [page('ann'), page(' ANN'), SAME],
  // Nobody knows who that is, whatever name is said.
  [page('ann'), page('bea (as claimed)'), UNKNOWN],
  [page('ann'), page('ann@box (by link)'), UNKNOWN],
  [user('ann@box'), page('operator (no name)'), UNKNOWN],
  [user('ann@box'), user('bea@box'), null],
  [user('ann@box'), user('ann@other'), null],
  [user('ann@box'), user('ann@box'), SAME],
  [user('ann@box'), said('bea', 'ann@box'), SAME],
  [said('bea', 'ann@box'), user('ann@box'), SAME],
  // Who added a machine has begun what it begins, by either name.
  [machine(user('ann@box')), page('ANN'), SAME],
  [machine(user('ann@box')), said('tom', 'ann@box'), SAME],
  [machine(said('bea', 'ann@box')), page('bea'), SAME],
  [machine(said('bea', 'ann@box')), page('ann'), SAME],
  [machine(said('bea', 'ann@box')), user('ann@box'), SAME],
  [machine(said('bea', 'ann@box')), page('cem'), null],
  [said('bea', 'ann@box'), said('tom', 'ANN@box'), SAME],
  [said('bea', 'ann@box'), said('Bea', 'bea@other'), SAME],
  [said('bea', 'ann@box'), said('tom', 'tom@box'), null],
  // At the page people are called as their accounts are.
  [user('ann@box'), page('ann'), SAME],
  [page('ann'), said('bea', 'ann@box'), SAME],
  [said('bea', 'ann@box'), page('bea'), SAME],
  [said('bea', 'ann@box'), page('tom'), null],
  [page('ann@example.com'), user('ann@box'), SAME],
  [{ name: 'ann@box', via: 'inbox' }, user('ann@box'), null],
])('what %j has begun, and %j is about to approve: %s', (started, approver, why) => {
  const found = whyNotApproved(approver, begunBy(started), true);
  if (why === null) expect(found).toBeNull();
  else expect(found).toContain(why);
});

test('in a container only the page tells people apart', () => {
  const run = begunBy(said('ann', 'node@4f2a'));
  for (const approver of [user('node@91bc'), said('bea', 'node@91bc')])
    expect(whyNotApproved(approver, run, false)).toContain(`node@91bc is a container's`);
  expect(whyNotApproved(page('bea'), run, false)).toBeNull();
});

test('what another person has to do is named, whoever is refused', () => {
  const run = begunBy(user('ann@box'));
  for (const isUserTold of [true, false]) {
    const words = whyNotApproved(user('ann@box'), run, isUserTold, 'release its rows');
    expect(words).toMatch(/ and release its rows[.]$/);
    expect(words).not.toContain('approve');
  }
});

test.each<readonly [actor: Actor, begins: boolean]>([
  [page('ann'), true],
  [page('ann@example.com'), true],
  [page('ann (as claimed)'), false],
  [page('operator (no name)'), false],
  [page('ann (by link)'), false],
  [said('ann (by link)', 'ann@box'), true],
  [user('#1000@box'), true],
])('%j begins what asks for approval: %s', (actor, begins) => {
  expect(whyUnknown(actor) === null).toBe(begins);
});
