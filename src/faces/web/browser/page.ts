/**
 * The page's script in the browser: live parts, keys, times in the viewer's zone, and log-in by a
 * printed link. Without it everything works but stands still.
 */
import { Idiomorph } from 'idiomorph';
import { keepLive } from './live.ts';

const AFTER_MS = 300;
const SHOWN: Readonly<Record<string, Intl.DateTimeFormatOptions>> = {
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  second: { dateStyle: 'medium', timeStyle: 'medium' },
  time: { timeStyle: 'medium' },
  day: { dateStyle: 'medium' },
};

enterByLink();
// Opening a link on the log-in page loads nothing anew.
window.addEventListener('hashchange', enterByLink);
showTimes(document);
previewForm();
moveInGrid();
takeFiles();
const live = keepLive({
  morph,
  tell(words) {
    const place = document.querySelector('#connection');
    if (place !== null) place.textContent = words;
  },
});
const holdButton = document.querySelector<HTMLButtonElement>('[data-hold]');
if (live !== null && holdButton !== null) {
  holdButton.hidden = false;
  holdButton.addEventListener('click', () => {
    const isHeld = holdButton.getAttribute('aria-pressed') !== 'true';
    holdButton.setAttribute('aria-pressed', String(isHeld));
    live.hold(isHeld);
  });
}
document.addEventListener('keydown', onKey);

/** A page's own keys focus and click the elements with that `data-key`. */
function onKey(event: KeyboardEvent): void {
  if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'h') holdButton?.click();
  else if (event.key === '/') {
    event.preventDefault();
    // The page's own search comes before the one above all pages.
    [...document.querySelectorAll<HTMLElement>('[data-search]')].at(-1)?.focus();
  } else
    for (const one of document.querySelectorAll<HTMLElement>(`[data-key="${CSS.escape(event.key)}"]`)) {
      // The key is not typed into the field that it leads to.
      event.preventDefault();
      one.focus();
      one.click();
    }
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input:not([type=radio]), select, textarea') !== null
  );
}

/** Keeps what is unfolded, selected and being typed. */
function morph(element: Element, html: string): void {
  const made = document.createElement('template');
  made.innerHTML = html;
  showTimes(made.content);
  // A promise only where a page's head is merged.
  void Idiomorph.morph(element, made.innerHTML, {
    morphStyle: 'innerHTML',
    ignoreActiveValue: true,
    callbacks: { beforeAttributeUpdated: (name: string) => name !== 'open' },
  });
}

/** In the viewer's zone; the title has UTC. */
function showTimes(within: ParentNode): void {
  for (const time of within.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    time.textContent = at.toLocaleString('en-GB', SHOWN[time.dataset.show ?? 'moment'] ?? SHOWN.moment);
    if (time.title === '')
      time.title = at
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, ' UTC');
  }
}

/**
 * A printed link's key stands behind the #, which no server and no log sees. It goes in by a form,
 * and out of the address.
 */
function enterByLink(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-enter]');
  const token = form?.querySelector<HTMLInputElement>('[name=token]');
  const key = /^#k=([\w-]+)$/.exec(location.hash)?.[1];
  if (form === null || token === null || token === undefined || key === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  token.value = key;
  form.requestSubmit();
}

/** A form with a preview is sent at each change, and the answer is morphed in. */
function previewForm(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-preview]');
  if (form === null) return;
  let timer: number | undefined;
  let latest = 0;
  const show = async (button: HTMLElement | null = null) => {
    latest += 1;
    const asked = latest;
    const response = await fetch(form.action, {
      method: 'POST',
      body: new URLSearchParams(fieldsOf(form, button)),
    });
    if (!response.ok || asked !== latest) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const [now, then] = [document.querySelector('main'), page.querySelector('main')];
    if (now !== null && then !== null) morph(now, then.innerHTML);
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(show, AFTER_MS);
  });
  // An answer changes the form alone.
  form.addEventListener('submit', (event) => {
    if (event.submitter?.getAttribute('name') !== 'answer') return;
    event.preventDefault();
    void show(event.submitter);
  });
}

/** In a grid the arrows move from row to row; what a spreadsheet copied fills cell after cell. */
function moveInGrid(): void {
  const form = document.querySelector<HTMLFormElement>('form[data-grid]');
  if (form === null) return;
  const cellsOf = () =>
    [...form.querySelectorAll('tbody tr')].map((row) => [
      ...row.querySelectorAll<HTMLInputElement>('input[name]:not([type=checkbox])'),
    ]);
  const placeOf = (target: EventTarget | null) => {
    const rows = cellsOf();
    const isInput = target instanceof HTMLInputElement;
    const places = rows.map((cells) => (isInput ? cells.indexOf(target) : -1));
    const row = places.findIndex((at) => at !== -1);
    return { rows, row, at: places[row] ?? -1 };
  };
  let isTyped = form.querySelector('input.changed') !== null;
  form.addEventListener('input', () => {
    isTyped = true;
  });
  form.addEventListener('submit', () => {
    isTyped = false;
  });
  window.addEventListener('beforeunload', (event) => {
    if (isTyped) event.preventDefault();
  });
  form.addEventListener('keydown', (event) => {
    const by = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
    const { rows, row, at } = placeOf(event.target);
    if (by === undefined || row === -1) return;
    event.preventDefault();
    const next = rows[row + by]?.[at];
    next?.focus();
    next?.select();
  });
  form.addEventListener('paste', (event) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const { rows, row, at } = placeOf(event.target);
    const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
    if (row === -1 || (lines.length === 1 && !text.includes('\t'))) return;
    event.preventDefault();
    for (const [down, line] of lines.entries())
      for (const [right, cell] of line.split('\t').entries()) {
        const input = rows[row + down]?.[at + right];
        if (input !== undefined) input.value = cell;
      }
    form.dispatchEvent(new Event('input'));
  });
}

function fieldsOf(form: HTMLFormElement, button: HTMLElement | null): [string, string][] {
  return [...new FormData(form, button)].flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  );
}

/** A chosen or dropped file is sent with its progress, and its page comes next. */
function takeFiles(): void {
  const place = document.querySelector<HTMLElement>('[data-upload]');
  const input = place?.querySelector<HTMLInputElement>('input[type=file]');
  if (place === null || input === null || input === undefined) return;
  input.addEventListener('change', () => send(place, input.files));
  place.addEventListener('dragover', (event) => {
    event.preventDefault();
    place.classList.add('over');
  });
  place.addEventListener('dragleave', () => place.classList.remove('over'));
  place.addEventListener('drop', (event) => {
    event.preventDefault();
    place.classList.remove('over');
    send(place, event.dataTransfer?.files ?? null);
  });
}

function send(place: HTMLElement, files: FileList | null): void {
  const file = files?.[0];
  const bar = place.querySelector('progress');
  const status = place.querySelector('[role=status]');
  if (file === undefined || bar === null || status === null) return;
  const say = (words: string) => {
    status.textContent = words;
  };
  bar.hidden = false;
  say(`${file.name} is on its way.`);
  // fetch reports no upload progress.
  const request = new XMLHttpRequest();
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.value = total === 0 ? 100 : (100 * loaded) / total;
  });
  request.addEventListener('load', () => {
    const answer = answerOf(request.responseText);
    if (request.status === 200 && answer.to !== undefined) location.assign(answer.to);
    else
      say(
        answer.problem ?? `${file.name} was not taken (${request.status}). Nothing of it is kept; try again.`,
      );
  });
  request.addEventListener('error', () =>
    say(`${file.name} did not come through. Nothing of it is kept; try again.`),
  );
  request.open('PUT', `${place.dataset.upload}?name=${encodeURIComponent(file.name)}`);
  request.send(file);
}

function answerOf(text: string): { readonly to?: string; readonly problem?: string } {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
