const FORM = /^[A-Z]{2}\d{2}[A-Z0-9]{10,30}$/;

/** Whether the text is an IBAN whose check digits fit (ISO 13616, ISO 7064 mod 97-10); spaces between groups are allowed. */
export function isIban(text: string): boolean {
  const iban = text.replaceAll(' ', '').toUpperCase();
  return FORM.test(iban) && remainder(iban.slice(4) + iban.slice(0, 4)) === 1;
}

/** The number that the text spells, A being 10 and Z 35, modulo 97. */
function remainder(text: string): number {
  let rest = 0;
  for (const character of text) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
