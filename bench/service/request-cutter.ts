const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

/** Tells method and path of each request that has come whole, body and all; a piece of the connection's text at a time. */
export function createRequestCutter(
  onRequest: (method: string, path: string) => void,
): (text: string) => void {
  let rest = '';
  return (text) => {
    rest = rest === '' ? text : rest + text;
    for (let end = endOf(rest); end !== null; end = endOf(rest)) {
      const [method = '', path = ''] = rest.slice(0, rest.indexOf('\r\n')).split(' ', 2);
      rest = rest.slice(end);
      onRequest(method, path);
    }
  };
}

/** Where the first request ends; `null` while its body is still to come. One character is one byte (latin1). */
function endOf(text: string): number | null {
  const head = text.indexOf(HEAD_END);
  if (head === -1) return null;
  const length = Number(CONTENT_LENGTH.exec(text.slice(0, head))?.[1] ?? 0);
  const end = head + HEAD_END.length + length;
  return text.length < end ? null : end;
}
