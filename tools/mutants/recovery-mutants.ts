// SPDX-License-Identifier: Apache-2.0
import type { Mutant } from './mutant.ts';

const operator = 'apps/operator/src';
const plan = `${operator}/cluster/plan`;
const restore = `${operator}/restore`;
const backup = `${operator}/backup`;

/** Of what brings data back without a whole backup, and of what shows that a backup is good. */
export const recoveryMutants: readonly Mutant[] = [
  {
    name: 'survivor without committed entries',
    breaks: 'a cluster is recovered from a member that lacks entries which another one knows to be committed',
    file: `${restore}/plan/survivor/choose-survivor.ts`,
    text: 'if (other.commit > one.index) return true;',
    replacement: 'if (other.commit > one.index + 1_000_000) return true;',
  },
  {
    name: 'unreadable member ignored',
    breaks: 'a cluster is recovered although the data of another member, which cannot be read, may be newer',
    file: `${restore}/plan/survivor/choose-survivor.ts`,
    text: 'if (damaged)\n',
    replacement: 'if (damaged && survivors.length === 0)\n',
  },
  {
    name: 'survivor stopped unsaved',
    breaks: 'a member that runs is stopped although its volume may be damaged, and its data is nowhere else',
    file: `${restore}/plan/survivor/hold.ts`,
    text: 'const plan = best || holder ? holdBest',
    replacement: 'const plan = holder ? holdBest',
  },
  {
    name: 'recovered while members may return',
    breaks: 'a quorum that is only away is taken for lost',
    file: `${operator}/safety/gate.ts`,
    text: "MayReturn: ({ mayReturn }) => (mayReturn.length > 0 ? mayReturn.join(' and ') : undefined),",
    replacement: 'MayReturn: () => undefined,',
  },
  {
    name: 'recovered twice',
    breaks: 'a recovery that has begun is begun again',
    file: `${plan}/quorum/recovery.ts`,
    text: "observation.recovery?.kind === 'begun' || ",
    replacement: '',
  },
  {
    name: 'restored data not checked',
    breaks: 'a restored member that is below the expected revision is taken for the cluster',
    file: `${restore}/plan/seed.ts`,
    text: 'if (revision < expected)\n',
    replacement: 'if (revision < 0)\n',
  },
  {
    name: 'revision recorded too late',
    breaks: 'an EtcdRestore never says at which revision its cluster began, if its operator was killed',
    file: `${restore}/plan/seed.ts`,
    text: 'if (answer && restore.revision === undefined)\n',
    replacement: 'if (answer && restore.revision === -1)\n',
  },
  {
    name: 'keys written unguarded',
    breaks: 'a restore of prefixes overwrites what another client has written since the comparison',
    file: `${restore}/prefixes/batches.ts`,
    text: 'compare: batch.map(guardOf),',
    replacement: 'compare: batch.slice(0, 0).map(guardOf),',
  },
  {
    name: 'keys written for another spec',
    breaks: 'a restore of prefixes writes on after its spec was changed',
    file: `${restore}/prefixes/may-write.ts`,
    text: 'if (!isSame || deletionTimestamp)',
    replacement: 'if (deletionTimestamp)',
  },
  {
    name: 'last proven backup pruned',
    breaks: 'retention deletes the only backup that is known to be good',
    file: `${backup}/plan/retention.ts`,
    text: '!kept.has(key) && !spared.has(key)',
    replacement: '!kept.has(key)',
  },
  {
    name: 'needed changes pruned',
    breaks: 'changes that lead on from a stored backup are deleted',
    file: `${backup}/continuous/prune-segments.ts`,
    text: 'isSurplus: ({ to }) => to <= oldest,',
    replacement: 'isSurplus: ({ to }) => to <= oldest + 5n,',
  },
  {
    name: 'proof ignores the hash',
    breaks: 'a backup whose keys differ from what was stored passes for proven',
    file: `${backup}/prove/judge-proof.ts`,
    text: 'if (served.hash !== file.hash)',
    replacement: 'if (served.hash !== file.hash && served.keys !== file.keys)',
  },
];
