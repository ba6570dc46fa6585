// Random choices that a seed repeats. Each call of a run has its own stream, so that one call can
// be looked at alone.

export class Rng {
  constructor(seed, stream = 0) {
    this.state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(stream + 1, 0xc2b2ae35)) >>> 0;
    for (let i = 0; i < 4; i++) this.next();
  }

  /** 32 bits (mulberry32). */
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** A whole number from 0 to `n - 1`. */
  below(n) {
    return this.next() % n;
  }

  chance(probability) {
    return this.next() / 2 ** 32 < probability;
  }

  pick(list) {
    return list[this.below(list.length)];
  }

  /** One of `[weight, make]` pairs, made. */
  weighted(pairs) {
    let at = this.below(pairs.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, make] of pairs) {
      if (at < weight) return make();
      at -= weight;
    }
    return undefined;
  }

  times(n, make) {
    return Array.from({ length: n }, (_, i) => make(i));
  }
}
