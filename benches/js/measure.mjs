// Times the ways of doing one job in turn, so that whatever else the machine does meets all of them.

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Milliseconds of one call; a promise brings the milliseconds that the call measured itself. */
function time(way) {
  const start = performance.now();
  const answer = way();
  return answer instanceof Promise ? answer : performance.now() - start;
}

/**
 * Medians, in milliseconds, of the ways in `ways`: functions to be timed, or async ones that answer
 * with the milliseconds they measured themselves.
 *
 * Each round lets every way do the job once, in an order that goes round too. There are at least
 * `least` rounds, and more until `budget` milliseconds are used up.
 */
export async function inTurn(ways, { least = 7, most = 2000, budget = 2000 } = {}) {
  const names = Object.keys(ways);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (const name of names) await time(ways[name]);
  const start = performance.now();
  for (let round = 0; round < least || (round < most && performance.now() - start < budget); round += 1) {
    for (let step = 0; step < names.length; step += 1) {
      const name = names[(round + step) % names.length];
      times[name].push(await time(ways[name]));
    }
  }
  return {
    rounds: times[names[0]].length,
    medians: Object.fromEntries(names.map((name) => [name, median(times[name])])),
    /** How many times as long `a` takes as `b`: the median over the rounds, which a drift of the machine leaves alone. */
    ratio: (a, b) => median(times[a].map((ms, round) => ms / times[b][round])),
  };
}

/** The same for calls too short to be timed one by one: each turn makes as many as fill `turn` milliseconds. */
export function inTurnOften(ways, { turn = 1, ...limits } = {}) {
  const often = (way) => {
    const repeat = (count) =>
      time(() => {
        for (let call = 0; call < count; call += 1) way();
      });
    let count = 1;
    while (repeat(count) < turn) count *= 2;
    return async () => repeat(count) / count;
  };
  return inTurn(Object.fromEntries(Object.entries(ways).map(([name, way]) => [name, often(way)])), limits);
}
