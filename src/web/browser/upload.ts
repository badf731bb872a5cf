/** In the browser: uploads a chosen or dropped file with its progress, and goes on to its page. */

/** Makes the page's place for files, if it has one, take them. */
export function takeFiles(): void {
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
