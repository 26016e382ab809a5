// SPDX-License-Identifier: Apache-2.0
import { systemClock } from '@operator-parts/ports';
import { Clusters } from './clusters.ts';
import { endState } from './end-state.ts';
import type { Ground } from './ground.ts';
import { Scene } from './scene.ts';
import { SteadyClient } from './steady-client.ts';
import type { Strike } from './strike.ts';
import { tidyUp } from './tidy-up.ts';
import type { Workload } from './workload.ts';

/** Nothing may be written any more for as long as this, in milliseconds. */
const settleTime = 3_000;

/** How a run of a workload went. */
export interface Outcome {
  readonly writes: readonly string[];
  /** False: there were fewer writes than the one to be struck. */
  readonly hasStruck: boolean;
  readonly end: readonly string[];
  /** What the client found wrong. */
  readonly problems: readonly string[];
}

let runs = 0;

/**
 * Runs a workload once in a namespace of its own, struck at one write or undisturbed. Fails if it does not come to rest. A run that is
 * struck has a while to end as it is `expected` to: until its operator has begun, the status is what the one before it wrote.
 */
export async function run(
  ground: Ground,
  workload: Workload,
  strike?: Strike,
  expected?: readonly string[],
): Promise<Outcome> {
  await using scene = await Scene.open(ground, `run-${++runs}`);
  const clusters = new Clusters(scene);
  try {
    await workload.prepare?.(scene, clusters);
    await scene.quiet(1_000);
    const client = workload.client ? new SteadyClient(clusters) : undefined;
    scene.begin(strike);
    await workload.act(scene, clusters);
    const end = await endOf(scene, expected, async () => [
      ...(await endState(scene, clusters)),
      ...((await workload.also?.(scene, clusters)) ?? []),
    ]);
    const { problems = [] } = (await client?.stop()) ?? {};
    return { writes: [...scene.writes], hasStruck: scene.hasStruck, end, problems };
  } catch (error) {
    throw new Error(`${workload.name}, ${strike?.kind ?? 'undisturbed'} ${strike?.at ?? ''}: ${String(error)}`, {
      cause: error,
    });
  } finally {
    await tidyUp(scene);
  }
}

/** How a run ends once nothing is written any more. */
async function endOf(
  scene: Scene,
  expected: readonly string[] | undefined,
  inspect: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const patience = systemClock.monotonic() + 60_000;
  for (;;) {
    await scene.quiet(settleTime);
    // A member that is on its way up cannot be asked yet.
    const end = await inspect().catch((error: unknown) => [String(error)]);
    const sorted = [...end].sort();
    const isExpected = expected === undefined || sorted.join('\n') === expected.join('\n');
    if ((isExpected && scene.quietFor >= settleTime) || systemClock.monotonic() > patience) return sorted;
    await systemClock.sleep(500);
  }
}
