/** CSV as most programs on Unix write it. */
export const UNIX_CSV = {
  delimiter: ',',
  quote: '"',
  escape: null,
  newline: 'lf',
  trim: false,
} as const;
