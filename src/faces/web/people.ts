/**
 * People and machines with tokens of their own: `ONBOARD_HOME/web/people.json` has each one's name
 * and role, the digest of the token, and of a machine who added it. A person's token logs in at the
 * page, a machine's asks by the interface for machines. Changed by `onboard web --add` and
 * `--remove`, read at each log-in and while a person is logged in, and for each question.
 */
import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeHomeFolder } from '../../config/environment.ts';
import { shortDigest } from '../../lib/digest.ts';
import { insteadOf } from '../../lib/errors.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { TOKEN_NAME } from '../../model/approval.ts';
import { type Role, roleSchema } from '../../model/ask.ts';

const peopleSchema = z.array(
  z.object({ name: z.string(), role: roleSchema, digest: z.string(), maker: z.string().optional() }),
);
type Person = z.infer<typeof peopleSchema>[number];

/** Characters of a whole SHA-256 in base64url. */
export const WHOLE_DIGEST = 43;

const PEOPLE = 'people.json';

/** Empty where nobody was added. */
export async function readPeople(home: string): Promise<readonly Person[]> {
  const file = join(home, 'web', PEOPLE);
  const text = await readFile(file, 'utf8').catch(insteadOf('ENOENT', '[]'));
  try {
    return peopleSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new UsageError(
      `${file}: expected what \`onboard web --add\` wrote. Remove the file, and add people anew.`,
      { cause: error },
    );
  }
}

/** Adds one or renews the token, which is shown once. `maker`: it is a machine. */
export async function addPerson(home: string, name: string, role: Role, maker?: string): Promise<string> {
  if (!TOKEN_NAME.test(name))
    throw new UsageError(
      `--add ${name}: expected a name such as ops-1: letters, digits, ".", "_", "@" and "-"`,
    );
  const token = randomBytes(32).toString('base64url');
  const people = await readPeople(home);
  const isMachine = maker !== undefined;
  const known = people.find((person) => person.name === name);
  // A program whose token is renewed as a person's could approve.
  if (known !== undefined && (known.maker !== undefined) !== isMachine)
    throw new UsageError(
      `--add ${name}: ${name} is ${isMachine ? 'a person' : 'a machine'}: expected ${isMachine ? 'another name' : '--machine'}, or \`onboard web --remove ${name}\` first.`,
    );
  const others = people.filter((person) => person.name !== name);
  await write(home, [...others, { name, role, digest: shortDigest(token, WHOLE_DIGEST), maker }]);
  return token;
}

export async function removePerson(home: string, name: string): Promise<void> {
  const people = await readPeople(home);
  if (!people.some((person) => person.name === name))
    throw new UsageError(
      `--remove ${name}: there is nobody of that name; there are ${people.map((person) => person.name).join(', ') || 'none'}`,
    );
  const others = people.filter((person) => person.name !== name);
  await write(home, others);
}

function write(home: string, people: readonly Person[]): Promise<void> {
  return writeWebFile(home, PEOPLE, `${JSON.stringify(people, null, 2)}\n`);
}

/** Writes or replaces a file in the home's `web` folder. */
export async function writeWebFile(home: string, name: string, text: string): Promise<void> {
  const file = join(await makeHomeFolder(home, 'web'), name);
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  await rename(draft, file);
}
