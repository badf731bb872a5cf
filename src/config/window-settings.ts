import { z } from 'zod';
import { isDailyWindow } from '../lib/daily-window.ts';

/** When a job may send (the setting `window`). */
export const windowSchema = z
  .string()
  .refine(isDailyWindow, 'expected two times and a time zone, for example 22:00-05:00 Europe/London')
  .describe(
    'The hours in which requests are sent, for example 22:00-05:00 Europe/London; a run pauses at their end and goes on at the next beginning.',
  );
