/** A smaller difference is no sign of a slow service: milliseconds come and go with this machine. */
const SLACK_MS = 20;
/** The usual duration varies by less from one window to the next. */
const TOLERANCE = 1.5;
/** Answers that are slow for a shorter time may be so by accident. */
const SLOW_FOR_MS = 750;
const LEAST_SHARE = 0.25;
/** The part of the computed share that is used, so that what has piled up at the service is worked off. */
const HEADROOM = 0.9;
/** A process that was at work for a larger share of a window is late itself, and can't tell whether the service is. */
const BUSY = 0.85;
const STEADY = { kind: 'steady' };
/** `busy`: the share of the time since it was last asked for which this process was at work. */
export function createLatencyTrend(busy) {
    const usual = createUsual();
    const window = createLatencyWindow();
    let slowForMs = 0;
    let wasUsed = false;
    /** After a cut: answers that take longer than this say that the cut did not help. */
    let hopedMs = null;
    const forgetSlow = () => {
        slowForMs = 0;
        return null;
    };
    /** With a single request in flight there is nothing to cut: slower answers are usual from now on. */
    const asUsual = (ms) => {
        usual.restart(ms);
        return STEADY;
    };
    const judgeCut = (ms, hoped) => {
        hopedMs = null;
        if (ms <= hoped)
            return STEADY;
        usual.restart(ms);
        return { kind: 'not-ours' };
    };
    const judge = ({ ms, lastedMs }, inFlight) => {
        if (hopedMs !== null)
            return judgeCut(ms, hopedMs);
        const base = usual.of(ms);
        slowForMs = isSlower(ms, base) ? slowForMs + lastedMs : 0;
        if (slowForMs === 0)
            return STEADY;
        if (slowForMs < SLOW_FOR_MS)
            return null;
        // Answers have become slow with fewer requests than there may be: not by their number.
        if (!wasUsed)
            return forgetSlow();
        slowForMs = 0;
        if (inFlight < 2)
            return asUsual(ms);
        const share = Math.max(LEAST_SHARE, (HEADROOM * base) / ms);
        hopedMs = (ms * (1 + share)) / 2;
        return { kind: 'slowed', share };
    };
    return {
        isSlow: () => slowForMs > 0,
        answered({ now, tookMs, inFlight, isUsed }) {
            wasUsed ||= isUsed;
            usual.begin(tookMs);
            const full = window.add(now, tookMs);
            if (full === null)
                return null;
            const told = busy() <= BUSY ? judge(full, inFlight) : forgetSlow();
            wasUsed = false;
            return told;
        },
    };
}
function isSlower(ms, base) {
    return ms > base * TOLERANCE + SLACK_MS;
}
/** The first requests come to an idle service: so many of their answers tell the usual duration at first. */
const FIRST_ANSWERS = 8;
/** Follows quicker answers soon and slower ones reluctantly: a limit that grows too far is found out long before. */
const TOWARDS_QUICKER = 1 / 2;
const TOWARDS_SLOWER = 1 / 64;
function createUsual() {
    let usual = 0;
    const firsts = [];
    return {
        begin(tookMs) {
            if (firsts.length === FIRST_ANSWERS)
                return;
            firsts.push(tookMs);
            usual = firsts.toSorted((a, b) => a - b)[Math.floor(firsts.length / 2)] ?? 0;
        },
        /** What is usual, the window's own answer considered. */
        of(ms) {
            if (!isSlower(ms, usual))
                usual += (ms - usual) * (ms < usual ? TOWARDS_QUICKER : TOWARDS_SLOWER);
            return usual;
        },
        restart(ms) {
            usual = ms;
        },
    };
}
const WINDOW_MS = 250;
const WINDOW_SAMPLES = 32;
/** So that a moment in which this process stood still, with many answers coming at its end, is one of many. */
const SLOT_MS = 8;
const SLOT_SAMPLES = 4;
/** Gathers what answers take over a quarter of a second or more, of requests that were begun within it. */
function createLatencyWindow() {
    let samples = [];
    let from = null;
    let begunSince = Number.NEGATIVE_INFINITY;
    let slotEndsAt = Number.NEGATIVE_INFINITY;
    let inSlot = 0;
    const isTaken = (now) => {
        if (now >= slotEndsAt)
            [slotEndsAt, inSlot] = [now + SLOT_MS, 0];
        inSlot += 1;
        return inSlot <= SLOT_SAMPLES;
    };
    return {
        /** `null`: it is not full yet. */
        add(now, tookMs) {
            // What was begun before, perhaps under another limit, says nothing of this one.
            if (now - tookMs < begunSince || !isTaken(now))
                return null;
            samples.push(tookMs);
            from ??= now;
            if (samples.length < WINDOW_SAMPLES || now - from < WINDOW_MS)
                return null;
            const sorted = samples.toSorted((a, b) => a - b);
            const lastedMs = now - from;
            samples = [];
            [from, begunSince] = [now, now];
            // Answers that were held up on the way, or in this process, don't move the lower quartile.
            return { ms: sorted[Math.floor(sorted.length / 4)] ?? 0, lastedMs };
        },
    };
}
//# sourceMappingURL=latency-trend.js.map