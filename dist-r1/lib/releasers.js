/** `onTrouble` is told of each part that could not be closed; without it `release` throws what was wrong. */
export function createReleasers(onTrouble) {
    const stack = [];
    let running = null;
    const releaseAll = async () => {
        const errors = [];
        const tell = onTrouble ?? ((error) => void errors.push(error));
        for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
            try {
                await next();
            }
            catch (error) {
                tell(error);
            }
        }
        if (errors.length > 0)
            throw new AggregateError(errors, 'some parts could not be closed');
    };
    return {
        push: (release) => void stack.push(release),
        release: () => {
            running ??= releaseAll();
            return running;
        },
    };
}
//# sourceMappingURL=releasers.js.map