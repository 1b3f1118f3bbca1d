/** The bot's own source of randomness: the same seed gives the same numbers, so that a match repeats exactly. */
export class Random {
  #state = new Uint32Array(4);

  /** Any bytes; GameStart.bot_seed is meant. */
  constructor(seed: Uint8Array) {
    for (let i = 0; i < seed.length; i += 1) {
      const word = i % 4;
      this.#state[word] = Math.imul(this.#state[word] ^ seed[i], 0x9e3779b1) + i;
    }
    for (let i = 0; i < 16; i += 1) this.#next();
  }

  /** A number from 0 to below 1. */
  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  /** One of the items; the list must not be empty. */
  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)];
  }

  /** sfc32, a small generator that passes the usual tests. */
  #next(): number {
    const s = this.#state;
    const sum = (s[0] + s[1] + s[3]) | 0;
    s[3] = s[3] + 1;
    s[0] = s[1] ^ (s[1] >>> 9);
    s[1] = s[2] + (s[2] << 3);
    s[2] = ((s[2] << 21) | (s[2] >>> 11)) + sum;
    return sum >>> 0;
  }
}
