/** In the browser: a form with a preview is sent at each change, and the answer is morphed in. */

const AFTER_MS = 300;

/** `morph` must not touch what is being typed. */
export function previewForms(morph: (element: Element, html: string) => void): void {
  const form = document.querySelector<HTMLFormElement>('form[data-preview]');
  if (form === null) return;
  let timer: number | undefined;
  let latest = 0;
  const show = async () => {
    latest += 1;
    const asked = latest;
    const response = await fetch(form.action, { method: 'POST', body: new URLSearchParams(fieldsOf(form)) });
    if (!response.ok || asked !== latest) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    const [now, then] = [document.querySelector('main'), page.querySelector('main')];
    if (now !== null && then !== null) morph(now, then.innerHTML);
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = window.setTimeout(show, AFTER_MS);
  });
}

function fieldsOf(form: HTMLFormElement): [string, string][] {
  return [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  );
}
