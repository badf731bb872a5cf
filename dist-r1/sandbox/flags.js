/** The sandbox's settings from its command line; every flag that can't be read is listed at once. */
import { didYouMean } from '../lib/did-you-mean.js';
import { UsageError } from '../lib/usage-error.js';
import { parseFault } from './fault-rules.js';
import { PERMISSIONS } from './options.js';
/** The options that the flags spell; throws a UsageError that lists every flag that can't be read. */
export function sandboxOptionsFromFlags(flags) {
    const problems = [];
    const keepAlive = numberFlag(problems, '--keep-alive', flags.keepAlive, SECONDS);
    const options = {
        port: numberFlag(problems, '--port', flags.port, PORT),
        tokens: tokensFlag(problems, flags.tokens),
        tokenTtlSeconds: numberFlag(problems, '--token-ttl', flags.tokenTtl, SECONDS),
        tokenRequests: numberFlag(problems, '--token-requests', flags.tokenRequests, COUNT),
        permissions: permissionsFlag(problems, flags.permissions),
        faults: faultsFlag(problems, flags),
        seed: numberFlag(problems, '--seed', flags.seed, COUNT),
        keepAliveMs: keepAlive === undefined ? undefined : keepAlive * 1000,
        dataFile: flags.dataFile,
        recordRequests: numberFlag(problems, '--record-requests', flags.recordRequests, COUNT),
    };
    if (problems.length > 0)
        throw new UsageError(problems);
    return options;
}
const PORT = {
    form: /^\d{1,5}$/,
    max: 65_535,
    expected: 'a port from 1 to 65535, or 0 for any free one',
};
const SECONDS = {
    form: /^\d{1,6}(\.\d+)?$/,
    max: 86_400,
    expected: 'seconds up to 86400, for example 65',
};
const COUNT = { form: /^\d{1,9}$/, max: 1_000_000_000, expected: 'a whole number from 0' };
function numberFlag(problems, flag, text, form) {
    if (text === undefined)
        return undefined;
    if (form.form.test(text) && Number(text) <= form.max)
        return Number(text);
    problems.push(`${flag} "${text}": expected ${form.expected}.`);
    return undefined;
}
function tokensFlag(problems, text) {
    if (text === undefined)
        return undefined;
    const tokens = namesOf(text);
    if (tokens.length === 0)
        problems.push('--tokens is empty: expected one or more tokens with commas between.');
    return tokens;
}
function permissionsFlag(problems, text) {
    if (text === undefined)
        return undefined;
    const names = namesOf(text);
    for (const name of names) {
        if (PERMISSIONS.some((permission) => permission === name))
            continue;
        problems.push(`--permissions "${name}": expected one of ${PERMISSIONS.join(', ')}.${didYouMean(name, PERMISSIONS)}`);
    }
    return PERMISSIONS.filter((permission) => names.includes(permission));
}
function faultsFlag(problems, flags) {
    const latency = flags.latency === undefined ? [] : [`latency=${flags.latency}`];
    const specs = [...latency, ...(flags.faults ?? [])];
    for (const spec of specs) {
        try {
            parseFault(spec);
        }
        catch (error) {
            if (!(error instanceof UsageError))
                throw error;
            problems.push(...error.problems);
        }
    }
    return specs;
}
function namesOf(text) {
    return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}
//# sourceMappingURL=flags.js.map