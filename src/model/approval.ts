/**
 * A second pair of eyes: who may begin a run that asks for approval, and who may let it go. Nobody
 * began what an inbox took. Pure.
 */
import type { Actor } from './audit.ts';
import { normalForm } from './key-form.ts';
import type { Run } from './run.ts';

const OWN_TOKEN =
  'expected a person with a token of their own at the page (`onboard web --add NAME --role operator`)';

/** Of who has a token: nobody else has such a name at the page. */
export const TOKEN_NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/;

/** Why they may neither begin nor approve it; `null`: it is known who that is. */
export function whyUnknown({ name, via }: Actor): string | null {
  if (via !== 'page' || TOKEN_NAME.test(name)) return null;
  return `${name} has come by a link or ONBOARD_WEB_TOKEN, as anybody may, to what asks for approval: ${OWN_TOKEN}.`;
}

const BETWEEN = ', ';

/** Of a machine: both names of who added it. */
export function makerOf({ name, user }: Actor): string {
  return user === undefined ? name : [name, user].join(BETWEEN);
}

type Begun = Pick<Run, 'id' | 'registeredBy' | 'registeredVia' | 'registeredUser'>;

/** What somebody else than who loaded the run has to do. */
type Act = 'approve it' | 'release its rows' | 'confirm its accounts';

/** `null`: they may. Neither the name nor user@host may be that of who loaded it. */
export function whyNotApproved(
  by: Actor,
  run: Begun,
  isUserTold: boolean,
  act: Act = 'approve it',
): string | null {
  const { id, registeredBy, registeredVia, registeredUser } = run;
  const { name, via, user = name } = by;
  if (via !== 'page' && !isUserTold)
    return `${user} is a container's or has no name, and tells nobody apart: ${OWN_TOKEN} to look at run ${id} and ${act}.`;
  // At the page people may be called as their accounts are.
  const isMixed = (via === 'page') !== (registeredVia === 'page');
  const formOf = (one: string) => normalForm(isMixed ? one.replace(/@.*/s, '') : one);
  const own = [name, user].map(formOf);
  const names = registeredVia === 'machine' ? registeredUser?.split(BETWEEN) : [registeredUser];
  const begun = [registeredBy, ...(names ?? [])];
  const isSame = begun.some((one) => one !== null && own.includes(formOf(one)));
  if (!isSame) return whyUnknown(by);
  return `Run ${id} was loaded by ${registeredBy}, who can't ${act}, nor can who shares that name or user@host: have another person look at it and ${act}.`;
}

/** Why they may not let a job's version be used that somebody has saved; `null`: they may. */
export function whyNotConfirmed(by: Actor, author: string): string | null {
  if (normalForm(by.name) !== normalForm(author)) return whyUnknown(by);
  return `${author} has saved this version, and can't confirm it: have another person look at it.`;
}
