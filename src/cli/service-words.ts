import type { WeatherReport } from '../ledger/weather.ts';
import { countOf } from '../lib/count-of.ts';

/** How the service is doing, in words for people; times are UTC. */
export function serviceWords(report: WeatherReport): string {
  switch (report.state) {
    case 'well':
      return 'answers';
    case 'failing':
      return `${countOf(report.failuresInARow, 'failure')} in a row since ${clock(report.since)}`;
    case 'held':
      return `asked to be left alone until ${clock(report.nextAt)}`;
    case 'away':
      return `away since ${clock(report.since)}, ${countOf(report.failuresInARow, 'failure')} in a row; ${nextTry(report)}`;
    default:
      return report.state satisfies never;
  }
}

function nextTry({ nextAt }: WeatherReport): string {
  return nextAt === null ? 'one row tries now' : `one row tries at ${clock(nextAt)}, the others wait`;
}

function clock(time: string | null): string {
  return time === null ? 'now' : `${time.slice(11, 19)} UTC`;
}
