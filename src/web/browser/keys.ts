/** In the browser: a key presses what bears it as `data-key`, where nothing is being typed. */
export function pressByKeys(): void {
  document.addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event;
    const isTyping =
      target instanceof HTMLElement && target.matches('input:not([type=radio]), textarea, select');
    if (isTyping || ctrlKey || metaKey || altKey) return;
    const pressed = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    if (pressed === null) return;
    event.preventDefault();
    pressed.focus();
    pressed.click();
  });
}
