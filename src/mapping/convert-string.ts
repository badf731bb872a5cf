import type { Conversion } from './conversion.ts';

/** Text stays exactly as it stands: leading zeros and spaces live. A JSON number may have lost digits, so it is refused. */
export const stringConversion: Conversion = {
  fromText: (text) => text,
  fromJson: () => undefined,
  expected: 'a string (in quotes)',
};
