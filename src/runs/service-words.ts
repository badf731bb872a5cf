import type { WeatherReport } from '../ledger/weather.ts';
import { countOf } from '../lib/terminal.ts';

/** How the service is doing and why, in words for people, without a full stop at the end; times are UTC. */
export function serviceWords(report: WeatherReport): string {
  switch (report.state) {
    case 'well':
      return 'no outage known';
    case 'failing':
      return `${failures(report)} since ${clock(report.since)}${why(report)}`;
    case 'held':
      return `asked to be left alone until ${clock(report.nextAt)}`;
    case 'away':
      return `away since ${clock(report.since)}, ${failures(report)}; ${nextTry(report)}${why(report)}`;
    default:
      return report.state satisfies never;
  }
}

function failures({ failuresInARow }: WeatherReport): string {
  return `${countOf(failuresInARow, 'failure')} in a row`;
}

function nextTry({ isProbing, nextAt }: WeatherReport): string {
  if (isProbing) return 'one row is trying, the others wait';
  return nextAt === null ? 'the next row tries' : `one row tries at ${clock(nextAt)}, the others wait`;
}

function why({ cause }: WeatherReport): string {
  return cause === null ? '' : `. ${cause.replace(/\.$/, '')}`;
}

function clock(time: string | null): string {
  return time === null ? 'now' : `${time.slice(11, 19)} UTC`;
}
