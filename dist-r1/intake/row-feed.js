/** Characters of a head: enough for any header that makes sense; a longer header is refused. */
export const HEAD_CHARS = 256 * 1024;
/** Takes the head from the front of the texts, which then go on behind it. */
export async function readHead(texts) {
    let text = '';
    let whole = false;
    while (!whole && text.length < HEAD_CHARS) {
        const next = await texts.next();
        if (next.done)
            whole = true;
        else
            text += next.value;
    }
    const bom = text.startsWith('\uFEFF');
    return { bom, text: bom ? text.slice(1) : text, whole };
}
/** The source of a text file, before more is known of it. */
export const TEXT_SOURCE = {
    encoding: 'utf-8',
    compression: 'none',
    headerLine: 1,
    sheet: null,
    notes: [],
};
//# sourceMappingURL=row-feed.js.map