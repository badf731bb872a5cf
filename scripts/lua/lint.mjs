#!/usr/bin/env node
/**
 * Lints the ledger's scripts, each put together with its parts, as Redis gets it: it can be parsed,
 * every name is known, none hides another, literals are those of ledger/protocol.ts, and KEYS and
 * ARGV have names from the first lines on.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import luaparse from 'luaparse';
import { linesOf } from './compose.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const FOLDER = join(ROOT, 'src', process.argv[2] ?? 'engine/ledger/lua');

/** What Redis gives a script; `call` and `protocol` are script.ts' and protocol.ts'. */
const GIVEN = new Set([
  ...['KEYS', 'ARGV', 'redis', 'call', 'protocol'],
  ...['cjson', 'string', 'table', 'math'],
  ...['ipairs', 'next', 'pairs', 'tonumber', 'tostring', 'type', 'unpack'],
]);
const NUMBERED = new Set(['KEYS', 'ARGV']);

const literals = literalsOf(readFileSync(join(FOLDER, '..', 'protocol.ts'), 'utf8'));
const scripts = readdirSync(FOLDER).filter((name) => name.endsWith('.lua'));
const problems = new Set(scripts.flatMap((name) => problemsIn(linesOf(join(FOLDER, name)))));
for (const problem of problems) process.stderr.write(`${problem}\n`);
process.stdout.write(`${scripts.length} scripts\n`);
process.exitCode = problems.size === 0 && scripts.length > 0 ? 0 : 1;

function literalsOf(text) {
  const [, body = ''] = /export const protocol = \{\n([\s\S]*?)\n\} as const/.exec(text) ?? [];
  return new Set([...body.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name));
}

function problemsIn(lines) {
  const found = [];
  const tell = ({ loc }, problem) => {
    const { path, line } = lines[loc.start.line - 1];
    found.push(`${relative(ROOT, path)}:${line}: ${problem}`);
  };
  try {
    const chunk = luaparse.parse(lines.map(({ text }) => text).join('\n'), {
      luaVersion: '5.1',
      locations: true,
      comments: false,
    });
    checkBlock(chunk.body, new Set(), tell);
    checkNumbered(chunk.body, tell);
  } catch (error) {
    const { path = '', line = 0 } = lines[(error.line ?? 1) - 1] ?? {};
    found.push(`${relative(ROOT, path)}:${line}: ${error.message}`);
  }
  return found;
}

/** `known`: the names of the blocks around. */
function checkBlock(body, known, tell, own = []) {
  const names = new Set(known);
  const declare = (identifier) => {
    const { name } = identifier;
    if (name !== '_' && (names.has(name) || GIVEN.has(name)))
      tell(identifier, `${name} hides another of that name`);
    names.add(name);
  };
  own.forEach(declare);
  for (const statement of body) checkStatement(statement, { names, declare, tell });
}

function checkStatement(statement, { names, declare, tell }) {
  const read = (node) => checkExpression(node, names, tell);
  switch (statement.type) {
    case 'LocalStatement':
      statement.init.forEach(read);
      return statement.variables.forEach(declare);
    case 'FunctionDeclaration':
      if (!statement.isLocal) tell(statement, 'a function has to be local');
      else declare(statement.identifier);
      return checkBlock(statement.body, names, tell, statement.parameters);
    case 'ForNumericStatement':
      [statement.start, statement.end, statement.step].filter(Boolean).forEach(read);
      return checkBlock(statement.body, names, tell, [statement.variable]);
    case 'ForGenericStatement':
      statement.iterators.forEach(read);
      return checkBlock(statement.body, names, tell, statement.variables);
    case 'IfStatement':
      return statement.clauses.forEach((clause) => {
        if (clause.condition) read(clause.condition);
        checkBlock(clause.body, names, tell);
      });
    case 'AssignmentStatement':
      return [...statement.variables, ...statement.init].forEach(read);
    case 'ReturnStatement':
      return statement.arguments.forEach(read);
    case 'CallStatement':
      return read(statement.expression);
    case 'BreakStatement':
      return;
    default:
      tell(statement, `${statement.type}: not used in our scripts`);
  }
}

function checkExpression(node, names, tell) {
  if (node.type === 'Identifier') {
    if (!names.has(node.name) && !GIVEN.has(node.name)) tell(node, `${node.name} is not defined`);
    return;
  }
  if (node.type === 'FunctionDeclaration') return checkBlock(node.body, names, tell, node.parameters);
  if (node.type === 'MemberExpression') {
    if (node.base.name === 'protocol' && !literals.has(node.identifier.name))
      tell(node, `protocol.${node.identifier.name} is not in protocol.ts`);
    return checkExpression(node.base, names, tell);
  }
  if (node.type === 'TableKeyString') return checkExpression(node.value, names, tell);
  for (const part of partsOf(node)) checkExpression(part, names, tell);
}

function partsOf(node) {
  const parts = Object.entries(node).filter(([name]) => name !== 'loc' && name !== 'type');
  return parts.flatMap(([, value]) => value).filter((value) => typeof value?.type === 'string');
}

/** Only a local statement of the script itself has KEYS or ARGV in it. */
function checkNumbered(body, tell) {
  for (const statement of body) {
    if (statement.type === 'LocalStatement') continue;
    for (const node of allIn(statement))
      if (node.type === 'Identifier' && NUMBERED.has(node.name))
        tell(node, `give what ${node.name} holds a name first`);
  }
}

function allIn(node) {
  return [node, ...partsOf(node).flatMap(allIn)];
}
