/**
 * What the service said in the body of a refusal: by the fields that such bodies have, whatever the
 * service, by a page's title, else by the beginning of the text. Pure.
 */
import { shorten } from '../../lib/terminal.ts';
import { isJsonList, isJsonObject } from '../../model/json-record.ts';
import type { JsonObject, JsonValue } from '../../model/request.ts';
import { onOneLine } from './csv-text.ts';

const MAX_CHARACTERS = 500;
/** Enough for the sentence even where most of a body is indentation. */
const LOOK_AT_CHARACTERS = 8_000;

/** On one line, cut at 500 characters; rejections.jsonl has more. */
export function serviceMessage(body: string): string {
  const [said = ''] = [sentenceIn(body), body.slice(0, LOOK_AT_CHARACTERS)]
    .map((text) => onOneLine(text).trim())
    .filter((text) => text !== '');
  return shorten(said, MAX_CHARACTERS);
}

function sentenceIn(body: string): string {
  const json = parsed(body);
  if (json !== undefined) return sayOf(json);
  return body.trimStart().startsWith('<') ? pageWords(body) : sayOf(membersOfCut(body));
}

function parsed(body: string): JsonValue | undefined {
  try {
    return JSON.parse(body.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** Of JSON that is cut: the texts by their members' names, the first of each name. */
function membersOfCut(body: string): JsonObject {
  const pairs = [...body.slice(0, LOOK_AT_CHARACTERS).matchAll(MEMBER)].reverse();
  return Object.fromEntries(pairs.map(([, name, text = '']) => [name, parsed(text) ?? '']));
}

const MEMBER = /"([\w-]{1,60})"\s*:\s*("(?:[^"\\]|\\.)*")/g;

/** By their plain names, what a refusal is about before what is wrong. */
const SAYING =
  'title error message msg detail details errordescription description reason problem faultstring'.split(' ');
/** An object among these may have fields' names. */
const LISTING = 'errors violations problems issues fielderrors validationerrors'.split(' ');
const PLACES = 'field path pointer property propertypath parameter loc source'.split(' ');
const MOST_DEEP = 6;

function sayOf(value: JsonValue | undefined, depth = 0): string {
  if (typeof value === 'string') return value.trim();
  if (value === undefined || depth > MOST_DEEP) return '';
  if (isJsonList(value)) return joined('; ', ...value.map((one) => sayOf(one, depth + 1)));
  return isJsonObject(value) ? sayOfObject(value, depth + 1) : '';
}

function sayOfObject(object: JsonObject, depth: number): string {
  const members = byPlainName(object);
  const said = [
    ...SAYING.map((name) => sayOf(members.get(name), depth)),
    ...LISTING.map((name) => listed(members.get(name), depth)),
  ];
  const sentence = joined(': ', ...said);
  if (sentence !== '') return joined(': ', placeIn(members), sentence);
  const inner = [...members.values()].filter((value) => typeof value === 'object');
  return joined('; ', ...inner.map((value) => sayOf(value, depth)));
}

function byPlainName(object: JsonObject): ReadonlyMap<string, JsonValue> {
  return new Map(Object.entries(object).map(([name, value]) => [plain(name), value]));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '');
}

/** `{"name": ["is required"]}` too. */
function listed(value: JsonValue | undefined, depth: number): string {
  if (value === undefined || !isJsonObject(value)) return sayOf(value, depth);
  const names = Object.keys(value).map(plain);
  if (names.some((name) => SAYING.includes(name) || LISTING.includes(name))) return sayOf(value, depth);
  const entries = Object.entries(value).map(([name, one]) => [name, sayOf(one, depth)] as const);
  return joined('; ', ...entries.map(([name, said]) => (said === '' ? '' : `${name}: ${said}`)));
}

function placeIn(members: ReadonlyMap<string, JsonValue>): string {
  const place = PLACES.map((name) => members.get(name)).find((value) => value !== undefined) ?? '';
  if (isJsonList(place)) return place.join('.');
  return isJsonObject(place) ? placeIn(byPlainName(place)) : String(place);
}

/** Each once; what ends as a sentence needs no other sign behind it. */
function joined(sign: string, ...parts: readonly string[]): string {
  const [first = '', ...rest] = new Set(parts.filter((part) => part !== ''));
  let said = first;
  for (const part of rest) said += (/[.!?:;]$/.test(said) ? ' ' : sign) + part;
  return said;
}

/** The title, else the text without its marks. */
function pageWords(page: string): string {
  const from = Math.max(0, page.search(/<title[\s>]/i));
  const text = page.slice(from, from + LOOK_AT_CHARACTERS);
  const title = /^<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim();
  return (title || text.replaceAll(MARKUP, ' ')).replaceAll(ENTITY, (_, name: string) => {
    const number = Number(name.slice(1).replace(/^x/i, '0x'));
    return NAMED[name.toLowerCase()] ?? String.fromCodePoint(number);
  });
}

const ENTITY = /&(amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[\da-f]{1,5});/gi;

const MARKUP = /<!--[\s\S]*?-->|<(script|style)\b[\s\S]*?<\/\1>|<[^<>]*>/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const MAX_LEAVES = 200;
const LEAF_CHARACTERS = 2_000;
/** Members that tell one answer from another of the same words. */
const OF_ONE_ANSWER =
  /^(?:instance|timestamp|trace|stack|stacktrace|.*(?:request|trace|correlation|span)id)$/;

/** The texts in a JSON answer, by which causes are told apart; else its sentence. */
export function leavesIn(body: string): readonly string[] {
  const json = parsed(body);
  if (json === undefined) return [serviceMessage(body)];
  const leaves: string[] = [];
  collect(json, leaves);
  return leaves;
}

function collect(value: JsonValue, leaves: string[]): void {
  if (leaves.length >= MAX_LEAVES) return;
  if (isJsonList(value)) for (const item of value) collect(item, leaves);
  else if (isJsonObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      // A member's name may be the field that it is about.
      if (/[.[]/.test(name)) leaves.push(name);
      if (!OF_ONE_ANSWER.test(plain(name))) collect(member, leaves);
    }
  } else if (typeof value === 'string') leaves.push(value.slice(0, LEAF_CHARACTERS));
}
