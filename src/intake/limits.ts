/** The longest record that is read, in characters; a longer one is an unreadable row. */
export const MAX_RECORD_CHARS = 1024 * 1024;

/** How much of an unreadable record's text is kept, in characters. */
export const MAX_UNREADABLE_CHARS = 64 * 1024;

/** The most field paths that the records of one JSON file may have together; more than that is no table. */
export const MAX_PATHS = 10_000;

/** The deepest nesting of a JSON record; the service's deepest field is at five. */
export const MAX_DEPTH = 32;
