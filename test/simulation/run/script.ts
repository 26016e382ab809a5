// SPDX-License-Identifier: Apache-2.0
import { type Random, seededRandom } from '@operator-parts/ports';
import { type FaultName, faultNames } from './faults.ts';

/** One thing that happens: which, when, to whom (`pick`), and for how long if it lasts. Times are in milliseconds. */
export interface FaultEvent {
  readonly at: number;
  readonly fault: FaultName;
  readonly pick: number;
  readonly lasts: number;
}

/** All that a seed decides before the run begins. */
export interface Script {
  readonly seed: number;
  readonly size: number;
  readonly version: string;
  readonly storage: 'emptyDir' | 'claim';
  readonly operators: number;
  readonly dnsDelay: number;
  /** How long requests of the operator take, in milliseconds. */
  readonly latency: number;
  readonly calmAt: number;
  readonly events: readonly FaultEvent[];
}

const minute = 60_000;
/** Minutes between two faults of a kind, on average; 0 for never. */
const usual = [0, 0, 0, 20, 10, 4] as const;
const rare = [0, 0, 0, 0, 0, 40, 20] as const;
/** What loses data for good: seldom, or every second run would end with nothing left to heal. */
const destructive: ReadonlySet<FaultName> = new Set<FaultName>([
  'blankDisk',
  'volumeDeleted',
  'nodeGone',
  'podsDeleted',
  'podForceDeleted',
  'userRecreates',
  'valueFlipped',
  'oldDisk',
]);

/** What people want of the operator, beside the faults. */
const operations: ReadonlySet<FaultName> = new Set<FaultName>([
  'userChangesVersion',
  'userBacksUp',
  'userStartsSeries',
  'userDeletesBackup',
  'storeDown',
  'storeErrors',
]);

/** Bringing back what was. */
const restoring: ReadonlySet<FaultName> = new Set<FaultName>([
  'userRestores',
  'userRestoresElsewhere',
  'userClones',
  'userRecovers',
  'userDeletesRestore',
  'userStartsProvenSeries',
]);

/** What goes wrong with etcd's own disk, space and certificates. */
const etcdFaults: ReadonlySet<FaultName> = new Set<FaultName>([
  'powerLoss',
  'diskFull',
  'certificateExpired',
  'spaceUsedUp',
  'valueFlipped',
]);

/** What stands between the operator and everybody else, what people do by hand, and what comes back other than it was. */
const meddling: ReadonlySet<FaultName> = new Set<FaultName>([
  'apiUnreachable',
  'webhookDown',
  'webhookUndoes',
  'webhookAdds',
  'userDrainsNode',
  'userEditsPods',
  'userRunsMember',
  'userMeddles',
  'podHeld',
  'nodeClock',
  'oldDisk',
  'storeDenies',
  'storeTruncates',
  'storeListsLate',
]);

/** The script of a seed. Half of the kinds of faults do not happen at all, so that the others are seen without them. */
export function scriptOf(seed: number): Script {
  const random = seededRandom(seed);
  const calmAt = minute * (5 + Math.floor(15 * random.next()));
  const events = faultNames
    .filter((fault) => ![operations, restoring, etcdFaults, meddling].some((apart) => apart.has(fault)))
    .flatMap((fault) => eventsOf(fault, random, calmAt));
  // A stream of its own: what people ask for comes on top of the same faults.
  const wishes = seededRandom(seed ^ 0x0b5e);
  const version = oneOf(wishes, ['3.5.33', '3.6.16', '3.6.16', '3.6.16', '3.7.3']);
  const asked = [...operations].flatMap((fault) => eventsOf(fault, wishes, calmAt));
  const later = seededRandom(seed ^ 0x4e57);
  const restores = [...restoring].flatMap((fault) => eventsOf(fault, later, calmAt));
  const apart = seededRandom(seed ^ 0xd15c);
  const ofEtcd = [...etcdFaults].flatMap((fault) => eventsOf(fault, apart, calmAt));
  const beside = seededRandom(seed ^ 0x3edd);
  const ofPeople = [...meddling].flatMap((fault) => eventsOf(fault, beside, calmAt));
  return {
    seed,
    size: oneOf(random, [1, 3, 3, 3, 5]),
    version,
    storage: oneOf(random, ['emptyDir', 'claim', 'claim'] as const),
    operators: oneOf(random, [1, 1, 2]),
    dnsDelay: oneOf(random, [0, 0, 2_000, 15_000]),
    latency: oneOf(random, [0, 5, 50, 400]),
    calmAt,
    events: [...events, ...asked, ...restores, ...ofEtcd, ...ofPeople].toSorted((a, b) => a.at - b.at),
  };
}

function eventsOf(fault: FaultName, random: Random, end: number): readonly FaultEvent[] {
  const rates = destructive.has(fault) ? rare : usual;
  const mean = oneOf(random, rates) * minute;
  const events: FaultEvent[] = [];
  if (mean === 0) return events;
  for (let at = 0; ; ) {
    at += Math.ceil(-Math.log(1 - random.next()) * mean);
    if (at >= end) return events;
    const lasts = Math.floor(oneOf(random, [3_000, 20_000, 90_000, 400_000]) * (0.5 + random.next()));
    events.push({ at, fault, pick: Math.floor(random.next() * 1_000_000), lasts });
  }
}

export function oneOf<T>(random: Random, choices: readonly [T, ...T[]]): T {
  return choices[Math.floor(random.next() * choices.length)] ?? choices[0];
}
