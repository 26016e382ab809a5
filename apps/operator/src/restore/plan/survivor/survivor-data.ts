// SPDX-License-Identifier: Apache-2.0
import type { RestoreObservation, TargetFacts } from '../../observation.ts';
import { oldData } from '../save.ts';
import type { SurvivorData } from '../step.ts';

/**
 * Limits that hold for a copy of any of the logs, once all volumes are read: the highest possible revision, and the lowest possible newest
 * entry. Undefined before that, and if a pod that reads a volume does not report the highest revision.
 */
export function dataOfSurvivors(seen: RestoreObservation, target: TargetFacts): SurvivorData | undefined {
  const readers = (oldData(seen, target)?.pods ?? []).filter(({ startedBy }) => startedBy === seen.restore.uid);
  const readings = readers.flatMap(({ survivor }) => survivor?.reading ?? []);
  const logs = readings.flatMap((reading) => (reading.kind === 'log' ? [reading] : []));
  const highest = Math.max(...logs.map(({ highestRevision = Number.NaN }) => highestRevision));
  if (readings.length < readers.length || !Number.isSafeInteger(highest)) return undefined;
  return { revision: highest, newestEntry: Math.min(...logs.map(({ newestEntry }) => newestEntry)) };
}
