import { z } from 'zod';

/** How a run stands to the others that are under way to the same service. */
export const prioritySchema = z
  .enum(['low', 'normal', 'high'])
  .default('normal')
  .describe(
    'The share of the service that a run of this job has while others are under way: `high` sends four times as many requests as `normal`, and `normal` four times as many as `low`.',
  );
export type Priority = z.infer<typeof prioritySchema>;

const WEIGHT = { low: 1, normal: 4, high: 16 } as const satisfies Readonly<Record<Priority, number>>;

/** The share of a run among those under way to one service, as a weight: 1, 4 or 16. */
export function weightOf({ priority }: { readonly priority: Priority }): number {
  return WEIGHT[priority];
}
