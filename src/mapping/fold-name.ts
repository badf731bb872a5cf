/**
 * A name as people read it: the same for another case, another kind of space or width, spaces at its ends, and
 * characters that nobody sees. Two names with the same folded form are taken for the same name.
 */
export function foldName(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Upper case first: it joins letters that have only one capital, such as ß and ss.
  return visible.replaceAll(/\s+/g, ' ').trim().toUpperCase().toLowerCase().normalize('NFKC');
}
