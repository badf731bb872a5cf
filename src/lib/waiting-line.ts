/** A queue in memory; taking the first item costs the same however many wait. */
export type WaitingLine<T> = {
  push(item: T): void;
  pushFirst(item: T): void;
  shift(): T | undefined;
  length(): number;
};

/** Emptied slots at the front are freed once they are this many and half of the array. */
const ROOM = 1024;

export function createWaitingLine<T>(): WaitingLine<T> {
  let items: Array<T | undefined> = [];
  let front = 0;
  return {
    push: (item) => void items.push(item),
    pushFirst(item) {
      if (front === 0) items.unshift(item);
      else {
        front -= 1;
        items[front] = item;
      }
    },
    shift() {
      const item = items[front];
      if (front === items.length) return undefined;
      items[front] = undefined;
      front += 1;
      if (front === items.length) [items, front] = [[], 0];
      else if (front >= ROOM && front * 2 >= items.length) [items, front] = [items.slice(front), 0];
      return item;
    },
    length: () => items.length - front,
  };
}
