/** Lists in parts, in their order. */

export function* batchesOf<Item>(items: readonly Item[], size: number): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Cuts wherever an item is not like the first of its group. */
export function groupAdjacent<Item>(
  items: readonly Item[],
  areAlike: (first: Item, item: Item) => boolean,
): (readonly [Item, ...Item[]])[] {
  const groups: [Item, ...Item[]][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    if (group !== undefined && areAlike(group[0], item)) group.push(item);
    else groups.push([item]);
  }
  return groups;
}
