const MAX_CHARACTERS = 500;
/** Enough to fill the message whatever part of it is indentation; a body may have megabytes. */
const LOOK_AT_CHARACTERS = 8_000;
/** White space and control characters: the latter would make a spreadsheet or the reader refuse the file. */
const NOT_PRINTED = /[\s\p{Cc}]+/gu;

/** The body of a refusal on one line, at most 500 characters; the whole of it is in rejections.jsonl. */
export function serviceMessage(body: string): string {
  const line = body.slice(0, LOOK_AT_CHARACTERS).replaceAll(NOT_PRINTED, ' ').trim();
  return line.length <= MAX_CHARACTERS ? line : withoutHalfCharacter(line.slice(0, MAX_CHARACTERS));
}

/** A cut between the two halves of a surrogate pair would leave a character that UTF-8 can't hold. */
function withoutHalfCharacter(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
