/**
 * The names of everything in Redis, and where a key is kept in an identity ledger. All of one target share a hash tag, so that a script's
 * keys share a cluster slot, and the ledgers of the sandbox and of each base URL are apart. Some stored names are shorter or older than
 * the program's words: they stay, since ledgers outlive versions.
 */
import { shortDigest } from '../lib/digest.js';
import { recently } from '../lib/recent.js';
export function ledgerKeys(target) {
    const root = `onboard:{${target === 'sandbox' ? target : shortDigest(target, 12)}}`;
    return {
        epoch: `${root}:gate`,
        breaker: `${root}:weather`,
        queuePrefix: `${root}:queue`,
        runs: `${root}:runs`,
        files: `${root}:files`,
        run: (run) => runKeys(`${root}:run:${run}`),
        identity: (space) => `${root}:known:${space}:`,
        fields: (space) => `${root}:fields:${space}:`,
    };
}
function runKeys(base) {
    return {
        record: base,
        chunk: `${base}:chunk:`,
        blocks: `${base}:blocks`,
        late: `${base}:late`,
        doubts: `${base}:doubts`,
        sources: `${base}:sources`,
        bodies: `${base}:bodies`,
        documents: `${base}:documents`,
        resolutions: `${base}:resolutions`,
        input: `${base}:input`,
        lease: `${base}:lease`,
        rate: `${base}:rate`,
    };
}
/** Where the digests of a record's fields are kept. */
export function fieldsPlace(keys, { space, key }) {
    const { bucket, digest } = identityOf(key);
    return { bucket: `${keys.fields(space)}${bucket}`, digest };
}
/** Where an identity ledger keeps a key: the bucket's full name and the digest within it. */
export function identityPlace(keys, { space, key }) {
    const { bucket, digest } = identityOf(key);
    return { bucket: `${keys.identity(space)}${bucket}`, digest };
}
const BUCKETS = 16_384;
/** 96 bits: two keys share one with a chance below one in 10^14 at ten million keys. */
const DIGEST_CHARACTERS = 16;
/** More rows than a process has on their way from their intent to their outcome: each asks for its key at both. */
const REMEMBERED = 512;
/**
 * Where the identity ledger keeps a key: small hashes stay in Redis' compact encoding,
 * and a digest of fixed size instead of the key keeps partner data out of it.
 */
export const identityOf = recently((key) => {
    const digest = shortDigest(key, DIGEST_CHARACTERS);
    return { bucket: bucketOf(digest), digest };
}, REMEMBERED);
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** By the digest's first 16 bits, which are in its first three characters: no need to decode them all, twice for each row. */
function bucketOf(digest) {
    const bits = (sextet(digest, 0) << 12) | (sextet(digest, 1) << 6) | sextet(digest, 2);
    return ((bits >> 2) % BUCKETS).toString(36);
}
function sextet(digest, at) {
    return BASE64URL.indexOf(digest.charAt(at));
}
//# sourceMappingURL=keys.js.map