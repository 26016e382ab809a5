// SPDX-License-Identifier: Apache-2.0
import { type Clock, createLogger, type Logger, type Random, seededRandom, VirtualClock } from '@operator-parts/ports';

/** Retries with growing, randomized pauses. */
async function patiently(attempt: () => boolean, clock: Clock, random: Random, log: Logger): Promise<number> {
  for (let tries = 1; ; tries++) {
    if (attempt()) return tries;
    const pause = 1000 * 2 ** tries * (0.5 + random.next());
    log.warn('trying again', { tries, pause: Math.round(pause) });
    await clock.sleep(pause);
  }
}

const clock = new VirtualClock();
export const lines: string[] = [];
const log = createLogger({ clock, write: ({ message }) => lines.push(message) });
let left = 3;
const tries = patiently(() => --left === 0, clock, seededRandom(7), log);
await clock.advance(60_000);
export const result = await tries;
