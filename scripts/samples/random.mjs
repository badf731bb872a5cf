/** A seeded source of numbers (mulberry32): the same seed gives the same files on every machine. */
export function createRandom(seed) {
  let state = seed >>> 0;
  function next() {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  const integer = (from, to) => from + Math.floor(next() * (to - from + 1));
  return {
    integer,
    chance: (share) => next() < share,
    pick: (list) => list[integer(0, list.length - 1)],
    digits: (count) => Array.from({ length: count }, () => integer(0, 9)).join(''),
  };
}
