/**
 * The page's own script in the browser: what changes by the second is fetched while somebody looks and morphed in, so that nothing that
 * is selected, unfolded or typed is lost; times are shown in the viewer's zone. Without it everything works but stands still.
 */
import { Idiomorph } from 'idiomorph';
import { previewForms } from './preview.ts';
import { takeFiles } from './upload.ts';

const EVERY_MS = 1_000;
const LONGEST_MS = 10_000;

let isHeld = false;

function morph(element: Element, html: string): void {
  Idiomorph.morph(element, html, {
    morphStyle: 'innerHTML',
    ignoreActiveValue: true,
    callbacks: {
      // What somebody has unfolded stays so.
      beforeAttributeUpdated: (name: string) => name !== 'open',
    },
  });
  showTimes(element);
}

/** Asks for a live part again and again; what has not changed is answered with a status alone. */
function follow(part: HTMLElement): void {
  let etag = '';
  let failures = 0;
  let since: Date | null = null;
  const look = async () => {
    if (document.visibilityState === 'visible' && !isHeld) await ask();
    const wait = Math.min(LONGEST_MS, EVERY_MS * 2 ** failures);
    if (part.isConnected) setTimeout(look, wait);
  };
  const ask = async () => {
    try {
      const response = await fetch(part.dataset.live ?? '', {
        headers: etag === '' ? {} : { 'if-none-match': etag },
        redirect: 'manual',
      });
      if (response.status === 401)
        location.assign(`/enter?to=${encodeURIComponent(location.pathname + location.search)}`);
      // It is over: the page itself says what came of it.
      else if (response.type === 'opaqueredirect') location.reload();
      else if (response.ok) {
        etag = response.headers.get('etag') ?? '';
        morph(part, await response.text());
      } else if (response.status !== 304) throw new Error(String(response.status));
      failures = 0;
      since = null;
      tell('');
    } catch {
      failures += 1;
      since ??= new Date();
      tell(`Not connected since ${since.toLocaleTimeString()}; what is shown is from then.`);
    }
  };
  setTimeout(look, EVERY_MS);
}

function tell(words: string): void {
  const place = document.querySelector('#connection');
  if (place !== null && place.textContent !== words) place.textContent = words;
}

const SHOWN = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const TIME_ALONE = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** Times in the viewer's own zone, with UTC as their title; today's without the day. */
function showTimes(within: ParentNode): void {
  for (const element of within.querySelectorAll('time')) {
    const time = new Date(element.dateTime);
    if (Number.isNaN(time.getTime())) continue;
    const isToday = time.toDateString() === new Date().toDateString();
    const words = (isToday ? TIME_ALONE : SHOWN).format(time);
    if (element.textContent !== words) element.textContent = words;
    element.title = `${element.dateTime} UTC`.replace('Z UTC', ' UTC');
  }
}

function hold(): void {
  isHeld = !isHeld;
  const button = document.querySelector('[data-hold]');
  button?.setAttribute('aria-pressed', String(isHeld));
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input:not([type=radio]), select, textarea') !== null
  );
}

/** A page's own keys: an element with `data-key` is clicked by it. */
function onKey(event: KeyboardEvent): void {
  if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'h') hold();
  else if (event.key === '/') {
    event.preventDefault();
    document.querySelector<HTMLElement>('[data-search]')?.focus();
  } else document.querySelector<HTMLElement>(`[data-key="${CSS.escape(event.key)}"]`)?.click();
}

/** The key of a printed link stands behind the #, which no server and no log sees; it goes in by a form. */
function enterByLink(): void {
  const key = new URLSearchParams(location.hash.slice(1)).get('k');
  const form = document.querySelector<HTMLFormElement>('[data-enter]');
  if (key === null || form === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  const field = form.querySelector<HTMLInputElement>('[name=key]');
  if (field === null) return;
  field.value = key;
  form.submit();
}

enterByLink();
showTimes(document);
for (const part of document.querySelectorAll<HTMLElement>('[data-live]')) follow(part);
document.querySelector('[data-hold]')?.addEventListener('click', hold);
document.addEventListener('keydown', onKey);
previewForms(morph);
takeFiles();
