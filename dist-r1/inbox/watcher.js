/**
 * A process that takes files from inboxes through their jobs: what it was told to do, where its files go, what it
 * says, and the session that their runs are executed in. A plain value; what moves stands in watch.ts and under-
 * way.ts.
 */
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { SANDBOX_TARGET } from '../delivery/target.js';
import { say, tell } from '../lib/terminal.js';
import { reportDirectory } from '../session.js';
export function createWatcher(session, book, options) {
    const { env, io, registration, service, ledger } = session;
    const { home } = env;
    return {
        session: { ...session, io: sharedIo(io) },
        member: registration.epoch.worker,
        target: service.target,
        store: ledger.of(service.target).store,
        book,
        teller: createTeller(io, options.json === true),
        home,
        places: {
            inbox: join(home, 'inbox'),
            processing: join(home, 'processing'),
            done: join(home, 'done'),
            failed: join(home, 'failed'),
        },
        rehearsal: createRehearsal(service.target),
        restMs: options.rest * 1000,
        pollMs: options.poll * 1000,
        polling: options.polling === true,
        runsAtOnce: options.runs,
        once: options.once === true,
    };
}
/** Where a run's report lies. */
export function reportPlace({ session }, run) {
    return reportDirectory(session.env, run.id);
}
/**
 * The terminal for runs that share it: what several of them say one after the other is said once, and it is no TTY, so none draws a
 * progress bar.
 */
export function sharedIo(io) {
    let last = '';
    const stderr = new Writable({
        decodeStrings: false,
        write(chunk, _encoding, done) {
            const text = String(chunk);
            if (text !== last)
                io.stderr.write(text);
            last = text;
            done();
        },
    });
    return { ...io, stderr };
}
/** The files that a rehearsal took and put back, so that it takes none of them again. */
export function createRehearsal(target) {
    const known = new Set();
    const keyOf = (...parts) => parts.join('\n');
    return {
        /** Whether files are taken for the built-in stand-in, and so stay in their inboxes in the end. */
        isOn: target === SANDBOX_TARGET,
        remember(inbox, path, stamp) {
            known.add(keyOf(inbox, path, stamp));
        },
        has: (inbox, { path, stamp }) => known.has(keyOf(inbox, path, stamp)),
    };
}
/** Says what happens in the inboxes: for people or, one line per file, for programs. */
export function createTeller(io, json) {
    let shown = new Set();
    let troubled = '';
    let hasTold = false;
    const line = (...lines) => {
        hasTold = true;
        tell(io, ...lines);
    };
    return {
        /** What is going on. */
        line,
        /** Trouble that may come again and again: said only where it is not the same as the last one. */
        trouble(text) {
            if (text !== troubled)
                line(text);
            troubled = text;
        },
        /** A file's end; `words` for people. */
        ended(file, words) {
            hasTold = true;
            say(io, json ? JSON.stringify(file) : words);
        },
        /** A file that stays; `words` for people. */
        paused(file, words) {
            if (json)
                say(io, JSON.stringify(file));
            line(words);
        },
        /** Says the text of each key once, and again only after the key was gone for a while. */
        waiting(lines) {
            for (const [key, text] of lines)
                if (!shown.has(key))
                    line(text);
            shown = new Set(lines.keys());
        },
        /** True once something was said of a file, or of what is in its way. */
        hasTold: () => hasTold,
    };
}
//# sourceMappingURL=watcher.js.map