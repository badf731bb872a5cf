export function createSemaphore(places) {
    const waiting = [];
    let free = places;
    const release = () => {
        const next = waiting.shift();
        if (next === undefined)
            free += 1;
        else
            next();
    };
    const place = () => {
        let held = true;
        return () => {
            if (!held)
                return;
            held = false;
            release();
        };
    };
    return {
        async acquire() {
            if (free > 0)
                free -= 1;
            else
                await new Promise((resolve) => waiting.push(resolve));
            return place();
        },
        taken: () => places - free,
    };
}
//# sourceMappingURL=semaphore.js.map