/** What of a caught error code may rely on: its code and its message, of whatever was thrown. */
/** The system's code of an error, such as ENOENT; an empty text where it has none. */
export function errorCode(error) {
    return error instanceof Error && 'code' in error ? String(error.code) : '';
}
/** Whether an error has one of the system's codes, such as ENOENT. */
export function hasCode(error, ...codes) {
    return codes.includes(errorCode(error));
}
/** A handler for `catch` that answers `value` where the error has one of these codes, and throws any other error again. */
export function insteadOf(codes, value) {
    return (error) => {
        if (hasCode(error, ...[codes].flat()))
            return value;
        throw error;
    };
}
/** What an error says, of whatever was thrown. */
export function messageOf(error) {
    return error instanceof Error ? error.message : String(error);
}
//# sourceMappingURL=errors.js.map