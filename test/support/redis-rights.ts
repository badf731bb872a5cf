import { textOf } from '../house/source-files.ts';

/** The rights that docs/redis.md names for the program's user at such servers, as redis.conf has them behind the password. */
export function documentedRights(place: 'one server' | 'a cluster' | 'Sentinels'): string {
  const rule = new RegExp(`^# ${place}\\nACL SETUSER \\w+ on >\\S+ (.*)$`, 'm');
  const rights = rule.exec(textOf('docs/redis.md'))?.[1];
  if (rights === undefined) throw new Error(`docs/redis.md has no rights for ${place}`);
  return rights;
}
