/**
 * The page's script: what a page can't do by itself. Without it everything works but live parts, keys and times in the viewer's own zone.
 */
import { Idiomorph } from 'idiomorph';
import { keepLive } from './live.ts';
import { previewForms } from './preview.ts';
import { takeFiles } from './upload.ts';

const SHOWN: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  moment: { dateStyle: 'medium', timeStyle: 'medium' },
  time: { timeStyle: 'medium' },
  day: { dateStyle: 'medium' },
};

showTimes(document);
enterByLink();
previewForms(morph);
takeFiles();
const live = keepLive({
  morph,
  tell(words) {
    const line = document.querySelector('[data-link]');
    if (line !== null) line.textContent = words;
  },
});
const hold = document.querySelector<HTMLButtonElement>('[data-hold]');
if (live !== null && hold !== null) {
  hold.hidden = false;
  hold.addEventListener('click', () => {
    const isHeld = hold.getAttribute('aria-pressed') !== 'true';
    hold.setAttribute('aria-pressed', String(isHeld));
    live.hold(isHeld);
  });
}
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (event.key === 'h') hold?.click();
  if (event.key !== '/') return;
  const search =
    document.querySelector<HTMLElement>('main [data-search]') ??
    document.querySelector<HTMLElement>('[data-search]');
  if (search === null) return;
  event.preventDefault();
  search.focus();
});

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select') !== null;
}

/** What is unfolded, selected and being typed stays. */
function morph(element: Element, html: string): void {
  const made = document.createElement('template');
  made.innerHTML = html;
  showTimes(made.content);
  Idiomorph.morph(element, made.innerHTML, {
    morphStyle: 'innerHTML',
    ignoreActiveValue: true,
    callbacks: {
      beforeAttributeUpdated: (name, changed) => !(name === 'open' && changed instanceof HTMLDetailsElement),
    },
  });
}

function showTimes(within: ParentNode): void {
  for (const time of within.querySelectorAll<HTMLTimeElement>('time[data-show]'))
    time.textContent = new Date(time.dateTime).toLocaleString('en-GB', SHOWN[time.dataset.show ?? ''] ?? {});
}

/** The key stands behind the #, which no server and no log sees; it goes into the form, and out of the address. */
function enterByLink(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-enter]');
  const token = form?.querySelector<HTMLInputElement>('[name=token]');
  const key = /^#k=([\w-]+)$/.exec(location.hash)?.[1];
  if (form === null || token === null || token === undefined || key === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  token.value = key;
  form.requestSubmit();
}
