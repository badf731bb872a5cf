/**
 * Claims that their watchers left: of processes of this host that are gone, at once, and of other hosts when they
 * have not shown for a minute that they live. One watcher goes on with each of them.
 */
import { SANDBOX_TARGET } from '../delivery/target.js';
import { isDeadHere } from '../journal/worker-registry.js';
import { messageOf } from '../lib/errors.js';
import { claimOf, dropClaim, giveBack, listClaims, takeOver } from './claim.js';
import { isInboxOf } from './job-book.js';
import { originalOf } from './other-file-system.js';
/** Processes of another host can't be looked up: a watcher that has not shown for so long that it lives is gone. */
const SILENT_MS = 60_000;
/** Finds the claims in ONBOARD_HOME, and makes those that their watchers left this process's. */
export function createRecovery({ places, teller, member, target, isMine, now }) {
    const beats = new Map();
    /** Measured by this process's own clock: those of hosts and file systems may differ. */
    const isSilent = ({ id, beat }) => {
        const known = beats.get(id);
        const current = known?.beat === beat ? known : { beat, since: now() };
        beats.set(id, current);
        return now() - current.since >= SILENT_MS;
    };
    const isLeft = (found) => found.member === member || isDeadHere(found.member) || isSilent(found);
    const said = new Set();
    const sayOnce = (text) => {
        if (!said.has(text))
            teller.line(text);
        said.add(text);
    };
    return {
        /** `others`: of watchers that live. `left`: of watchers that are gone. `elsewhere`: of other targets, which are left alone. */
        async look(inboxes) {
            const found = await listClaims(places.processing, (id, error) => sayOnce(`${places.processing}/${id} can't be looked into: ${messageOf(error)}`));
            const elsewhere = found.filter(({ info }) => info !== null && info.target !== target);
            const theirs = found.filter((one) => !isMine(one.id) && !elsewhere.includes(one));
            for (const id of beats.keys())
                if (!theirs.some((one) => one.id === id))
                    beats.delete(id);
            const left = theirs.filter(isLeft);
            return {
                others: theirs.filter((one) => !left.includes(one)),
                left: left.map((one) => ({ found: one, hasInbox: isInboxOf(one.info, inboxes) })),
                elsewhere,
            };
        },
        /** Makes a left claim this process's; `null`: another one was faster, or there is nothing to go on with. */
        async takeUp({ found, hasInbox }) {
            const { info, copied } = found;
            if (info?.isOnOtherFileSystem === true && copied === null && !hasInbox) {
                sayOnce(`${info.path}: ${info.inbox} is no inbox of job ${info.job} any more: move ${originalOf({ ...found, info })} into one by hand`);
                return null;
            }
            const mine = await takeOver(found, member);
            if (mine === null)
                return null;
            const claim = claimOf(mine);
            if (claim === null && info !== null && !hasInbox)
                await dropClaim(mine);
            else if (claim === null && !(await giveBack(mine, places.inbox))) {
                sayOnce(`${found.folder}: nothing is known of the file in it: move it into an inbox by hand`);
            }
            return claim;
        },
    };
}
/** What is to be said of claims of other targets, by target. */
export function elsewhereLines(elsewhere) {
    const byTarget = new Map();
    for (const { info } of elsewhere)
        if (info !== null)
            byTarget.set(info.target, [...(byTarget.get(info.target) ?? []), info.path]);
    return new Map([...byTarget].map(([target, [first = '', ...more]]) => [
        `target ${target}`,
        lineOf(target, first, more.length),
    ]));
}
function lineOf(target, first, more) {
    const files = more === 0 ? `${first} is` : `${first} and ${more} more are`;
    const [where, command] = target === SANDBOX_TARGET ? ['a rehearsal', 'onboard start --sandbox'] : [target, 'onboard start'];
    return `${files} being processed for ${where}: left alone; \`${command}\` for it goes on`;
}
//# sourceMappingURL=recover.js.map