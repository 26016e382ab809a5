// SPDX-License-Identifier: Apache-2.0
import type { SurvivorReading } from '@etcd-operator/operator/testing/restore-pods';
import { AppliedState } from './applied-state.ts';
import { type BootValues, firstDirectory } from './boot.ts';
import type { Command, DataDirectory, Entry, Version } from './data-directory.ts';
import type { Exit, MemberSettings } from './member.ts';
import { historyOf } from './snapshot.ts';

/** What etcd's restore tool is started with. */
export interface RestoreFlags {
  readonly settings: MemberSettings;
  readonly boot: BootValues;
  /** What it adds to the revision of the newest entry; 0 for nothing. */
  readonly bump: number;
}

/** What etcd's restore tool makes of a snapshot: a cluster of its own, whose IDs come from URLs and token. */
export function restoredDirectory(
  { settings, boot, bump }: RestoreFlags,
  snapshot: readonly Version[],
): DataDirectory | Exit {
  const founded = firstDirectory(settings, boot, () => undefined);
  if ('code' in founded) return founded;
  const newest = snapshot.at(-1)?.revision ?? 0;
  const history = bump > 0 ? [...snapshot, { revision: newest + bump, value: undefined }] : snapshot;
  const log: Entry[] = [...founded.log, { term: 1, command: { kind: 'restored', history, request: 'restored' } }];
  // The tool leaves a raft snapshot of all of it.
  const { length } = log;
  return { ...founded, log, commit: length, snapshotIndex: length, syncedIndex: length, syncedCommit: length };
}

/** What the agent finds in the data directory of a member, and what it reports of it. */
export function readSurvivor({ memberId, clusterId, log, commit }: DataDirectory): SurvivorReading {
  const voters = stateOf(log).voters();
  const terms = log.flatMap(({ term }, at) => (term === log[at - 1]?.term ? [] : [[at + 1, term] as const]));
  return {
    kind: 'log',
    term: log.at(-1)?.term ?? 0,
    index: log.length,
    commit,
    voters: voters.length,
    isVoter: voters.some(({ id }) => id === memberId),
    clusterId,
    memberId,
    voterIds: voters.map(({ id }) => id),
    isTorn: false,
    terms,
    newestEntry: historyOf(log.slice(0, commit)).at(-1)?.revision ?? 0,
  };
}

/** The copy that the agent makes of it: all that it has is committed, and all others are removed. */
export function aloneCopy(directory: DataDirectory): DataDirectory {
  const { log, memberId } = directory;
  const term = Math.max(directory.term, log.at(-1)?.term ?? 0);
  const others = [...stateOf(log).members.keys()].filter((id) => id !== memberId);
  const added: Command[] = [
    { kind: 'noop' },
    ...others.map((id): Command => ({ kind: 'change', change: { kind: 'remove', id }, request: `alone ${id}` })),
  ];
  const whole = [...log, ...added.map((command) => ({ term, command }))];
  const { length } = whole;
  return { ...directory, term, log: whole, commit: length, syncedIndex: length, syncedCommit: length };
}

/** No version has let more learners in. */
const mostLearners = 100;

function stateOf(log: readonly Entry[]): AppliedState {
  const state = new AppliedState();
  for (const { command } of log) state.apply(command, mostLearners);
  return state;
}
