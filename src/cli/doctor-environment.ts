import { type Environment, readEnvironment } from '../config/environment.ts';
import { redisVariables } from '../config/redis-address.ts';
import type { Io } from '../lib/terminal.ts';
import { type Finding, ok, problemsOf } from './doctor-finding.ts';

/** As much of the environment as can be used, and what the rest of it is worth. */
export type ExaminedEnvironment = {
  readonly env: Environment;
  /** False: what it says of the service is malformed. */
  readonly knowsService: boolean;
  /** False: what it says of Redis is malformed. */
  readonly knowsRedis: boolean;
  readonly findings: readonly Finding[];
};

const PLACES = ['ONBOARD_HOME', 'ONBOARD_JOBS'] as const;
const REDIS = Object.keys(redisVariables);
const ADVICE = 'Correct or unset that variable; every command refuses to start with it.';

/** A malformed value keeps only what rests on it from being checked. */
export function examineEnvironment(variables: Io['env']): ExaminedEnvironment {
  try {
    const env = readEnvironment(variables);
    return {
      env,
      knowsService: true,
      knowsRedis: true,
      findings: [ok('environment', 'every value is well-formed')],
    };
  } catch (error) {
    const findings = problemsOf('environment', error, ADVICE);
    return { ...withoutService(variables), knowsService: false, findings };
  }
}

function withoutService(variables: Io['env']): Pick<ExaminedEnvironment, 'env' | 'knowsRedis'> {
  try {
    return { env: readEnvironment(only(variables, [...PLACES, ...REDIS])), knowsRedis: true };
  } catch {
    return { env: readEnvironment(only(variables, PLACES)), knowsRedis: false };
  }
}

function only(variables: Io['env'], names: readonly string[]): Io['env'] {
  return Object.fromEntries(names.map((name) => [name, variables[name]]));
}
