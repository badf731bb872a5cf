/**
 * Lua scripts as typed functions: sent by hash, once more as text where the server has lost them, and their answers parsed, since Redis is
 * a boundary. A script may be run twice after a lost reply; what each leaves then is tested for every one of them.
 */
import { createHash } from 'node:crypto';
import { Command } from 'ioredis';
/** A Redis that is full still records what became of rows: what it gives up by that is bounded (Redis 7.0, script flags). */
const ALSO_WHEN_FULL = '#!lua flags=allow-oom\n';
/** The script with the schema of its answer; a server that has lost it (a restart, a flush) is given it again. */
export function script(lua, answer) {
    const text = ALSO_WHEN_FULL + lua;
    const sha = createHash('sha1').update(text).digest('hex');
    return async (redis, keys, args) => {
        const sent = () => [keys.length, ...keys, ...(typeof args === 'function' ? args() : args)];
        try {
            return answer.parse(await send(redis, 'evalsha', [sha, ...sent()]));
        }
        catch (error) {
            if (!(error instanceof Error && error.message.startsWith('NOSCRIPT')))
                throw error;
            return answer.parse(await send(redis, 'eval', [text, ...sent()]));
        }
    };
}
/**
 * ioredis looks at each argument of a command for a list in it, which costs as much as all the rest of sending hundreds of
 * them: it is given plain texts behind that look.
 */
function send(redis, name, args) {
    const isText = !args.some(isBuffer);
    const command = new Command(name, isText ? [] : [...args], { replyEncoding: 'utf8' });
    if (isText)
        command.args = args.map(String);
    redis.sendCommand(command);
    return command.promise;
}
function isBuffer(arg) {
    return typeof arg === 'object';
}
/**
 * Reads the answer of a script that names only the exceptions of a batch: place (1: the first item), answer, place, answer, …
 * `usual` is the answer for all other items. One answer for each item, in their order.
 */
export function withExceptions(answers, count, { usual, parse }) {
    const all = new Array(count).fill(usual);
    for (let i = 0; i + 1 < answers.length; i += 2)
        all[Number(answers[i]) - 1] = parse(answers[i + 1] ?? '');
    return all;
}
//# sourceMappingURL=script.js.map