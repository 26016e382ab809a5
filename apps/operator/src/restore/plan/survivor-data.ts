// SPDX-License-Identifier: Apache-2.0
import type { RestoreObservation, TargetFacts } from '../observation.ts';
import { oldData } from './save.ts';
import type { SurvivorData } from './step.ts';

/**
 * What the copy of any of the logs can come to, once all volumes are read: at which revision it is at most, and where it counts from at
 * least. Undefined before that, and where a reader does not say.
 */
export function dataOfSurvivors(seen: RestoreObservation, target: TargetFacts): SurvivorData | undefined {
  const readers = (oldData(seen, target)?.pods ?? []).filter(({ startedBy }) => startedBy === seen.restore.uid);
  const readings = readers.flatMap(({ survivor }) => survivor?.reading ?? []);
  const logs = readings.flatMap((reading) => (reading.kind === 'log' ? [reading] : []));
  const highest = Math.max(...logs.map(({ highestRevision = Number.NaN }) => highestRevision));
  if (readings.length < readers.length || !Number.isSafeInteger(highest)) return undefined;
  return { revision: highest, newestEntry: Math.min(...logs.map(({ newestEntry }) => newestEntry)) };
}
