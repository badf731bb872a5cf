/** A moment for people, by the wall clock of a time zone: `2026-11-21 22:00 Europe/London`; with `seconds` to the second. */
export function shownTime(at: Date, timeZone: string, { seconds = false } = {}): string {
  // Sweden writes dates as ISO 8601 does.
  const clock = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: seconds ? 'medium' : 'short',
  });
  return `${clock.format(at)} ${timeZone}`;
}
