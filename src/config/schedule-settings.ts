import { CronExpressionParser } from 'cron-parser';
import { z } from 'zod';
import { isTimeZone } from '../lib/daily-window.ts';

/** When files of a job are taken (the setting `schedule`). */
export const scheduleSchema = z
  .strictObject({
    cron: z
      .string()
      .refine(isCron, 'expected five cron fields (minute hour day month weekday), for example 0 22 * * *')
      .describe('Minute, hour, day of the month, month, day of the week.'),
    timezone: z
      .string()
      .refine(isTimeZone, 'expected a time zone such as Europe/London (IANA)')
      .default('UTC')
      .describe('The time zone of the schedule, by its IANA name.'),
  })
  .describe('Files wait in the inbox until then; without it they are taken as soon as they are whole.');
export type ScheduleSettings = z.infer<typeof scheduleSchema>;

function isCron(text: string): boolean {
  if (text.trim().split(/\s+/).length !== 5) return false;
  try {
    CronExpressionParser.parse(text);
    return true;
  } catch {
    return false;
  }
}
