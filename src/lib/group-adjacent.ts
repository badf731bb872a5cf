/** Parts the items, in their order, wherever two neighbours are not alike. */
export function groupAdjacent<Item>(
  items: readonly Item[],
  areAlike: (before: Item, item: Item) => boolean,
): (readonly [Item, ...Item[]])[] {
  const groups: [Item, ...Item[]][] = [];
  let group: [Item, ...Item[]] | null = null;
  for (const item of items) {
    if (group !== null && areAlike(group[0], item)) group.push(item);
    else {
      group = [item];
      groups.push(group);
    }
  }
  return groups;
}
