/**
 * The identity ledgers: which row of which run has a key, and what became of it. Keys are claimed in file order while a file is read;
 * the same rows may be claimed again and get the same answers, so that two files with one key, at the same time, create it once.
 */
import { z } from 'zod';
import { inEpoch } from './epoch.js';
import { identityOf, identityPlace } from './keys.js';
import { CLAIM, LOOK_UP } from './lua/keys.js';
import { script, withExceptions } from './script.js';
const claim = inEpoch(CLAIM, z.tuple([z.string()]).rest(z.string()));
/** Longer than any run is gone on with. */
const RUN_SPACE_TTL_SECONDS = 90 * 24 * 3600;
/** Claims keys for rows in the order given; the same rows may be claimed again and get the same answers. */
export async function claimKeys(epoch, keys, options) {
    const { space } = options;
    const ttl = space.ofRun ? RUN_SPACE_TTL_SECONDS : 0;
    const entries = [];
    for (const { row, key } of options.rows) {
        const { bucket, digest } = identityOf(key);
        entries.push(bucket, digest, row);
    }
    const [opened, ...answers] = await epoch.call(claim, [keys.identity(space.name)], [options.run, ttl, ...entries]);
    const parts = { usual: CLAIMED, parse: parseObstacle };
    return { claims: withExceptions(answers, options.rows.length, parts), epoch: opened };
}
const CLAIMED = { kind: 'claimed' };
function parseObstacle(answer) {
    if (answer.startsWith('dup '))
        return { kind: 'duplicate', row: Number(answer.slice('dup '.length)) };
    const state = parseKeyState(answer);
    if (state.kind === 'known')
        return { kind: 'known', run: state.run, id: state.id };
    if (state.kind === 'held')
        return state;
    throw new Error('an entry of the identity ledger can not be read');
}
const ENTRY = /^([ckdx]) (\S+) (\d+) (.*)$/s;
/** What an entry of the identity ledger says; `''`: there is none. */
export function parseKeyState(entry) {
    const [, kind, run = '', row, id = ''] = ENTRY.exec(entry) ?? [];
    const place = { run, row: Number(row) };
    switch (kind) {
        case 'k':
            return { kind: 'known', ...place, id };
        case 'c':
        case 'd':
            return { kind: 'held', ...place, inDoubt: kind === 'd' };
        case 'x':
            return { kind: 'given-back', ...place };
        default:
            return { kind: 'free' };
    }
}
const lookUp = script(LOOK_UP, z.array(z.string()));
const KEYS_PER_CALL = 500;
/**
 * What the identity ledger `space` says of keys right now, for a person who asks; what is decided by it has to ask through
 * the epoch (ChunkLedger.readKey).
 */
export async function readKeys(redis, keys, space, names) {
    const states = new Map();
    for (let at = 0; at < names.length; at += KEYS_PER_CALL) {
        const part = names.slice(at, at + KEYS_PER_CALL);
        const entries = await lookUp(redis, [], lookUpArguments(keys, space, part));
        for (const [i, name] of part.entries())
            states.set(name, parseKeyState(entries[i] ?? ''));
    }
    return states;
}
/** ARGV of the script LOOK_UP for keys of one space. */
function lookUpArguments(keys, space, names) {
    return names.flatMap((key) => {
        const { bucket, digest } = identityPlace(keys, { space, key });
        return [bucket, digest];
    });
}
//# sourceMappingURL=key-claims.js.map