/** What was used last, in bounded memory: what is remembered of each run or text must not grow with the life of a process. */
/** Keeps no more than `most` entries. */
export function createRecentMap(most) {
    const entries = new Map();
    return {
        get: (key) => entries.get(key),
        has: (key) => entries.has(key),
        set(key, value) {
            entries.delete(key);
            entries.set(key, value);
            if (entries.size <= most)
                return;
            for (const oldest of entries.keys()) {
                entries.delete(oldest);
                return;
            }
        },
        delete: (key) => void entries.delete(key),
        [Symbol.iterator]: () => entries[Symbol.iterator](),
    };
}
/** The same function with its results for the last texts remembered: for `count` of them, or up to twice as many. */
export function recently(work, count) {
    let recent = new Map();
    let earlier = new Map();
    return (text) => {
        const known = recent.get(text);
        if (known !== undefined)
            return known;
        const result = earlier.get(text) ?? work(text);
        recent.set(text, result);
        if (recent.size >= count)
            [earlier, recent] = [recent, new Map()];
        return result;
    };
}
//# sourceMappingURL=recent.js.map