/** Lists in parts, in their order: of a bounded size, or wherever two neighbours are not alike. */
/** The items in batches of at most `size`; no batch is empty. */
export function* batchesOf(items, size) {
    for (let start = 0; start < items.length; start += size)
        yield items.slice(start, start + size);
}
/** Parts the items wherever an item is not like the first of its group. */
export function groupAdjacent(items, areAlike) {
    const groups = [];
    for (const item of items) {
        const group = groups.at(-1);
        if (group !== undefined && areAlike(group[0], item))
            group.push(item);
        else
            groups.push([item]);
    }
    return groups;
}
//# sourceMappingURL=batches.js.map