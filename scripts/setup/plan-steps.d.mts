/** What was found on the machine. */
export type Facts = {
  readonly nodeVersion: string;
  readonly dependencies: 'installed' | 'missing' | 'different';
  readonly build: 'fresh' | 'missing' | 'stale';
  readonly redis: {
    /** REDIS_URL is set. */
    readonly url: boolean;
    /** The server's path, where one is on the PATH. */
    readonly server: string | null;
    readonly managers: readonly string[];
    readonly root: boolean;
    readonly sudo: boolean;
  };
};
export type Step =
  | { readonly kind: 'refuse' | 'install' | 'build'; readonly message: string }
  | { readonly kind: 'redis'; readonly message: string; readonly commands: readonly (readonly string[])[] };
export function planSteps(
  facts: Facts,
  wanted?: { readonly build: boolean; readonly redis: boolean },
): readonly Step[];
export function refuseRedis(why: string): Step;
