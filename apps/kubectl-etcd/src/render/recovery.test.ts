// SPDX-License-Identifier: Apache-2.0
import type { Observation } from '@etcd-operator/operator';
import { describe, expect, test } from 'vitest';
import { restingCluster } from '../testing/simulated-cluster.ts';
import { print } from './print.ts';
import { recoveryReport, type SurvivorAnswer } from './recovery.ts';

const persistentVolumeClaimSpec = {
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage: '1Gi' } },
} as const;

/** Only the first of three members is left, without a leader. */
function lost(onVolumes: boolean): { readonly world: Observation; readonly names: readonly string[] } {
  const world = restingCluster({ size: 3, ...(onVolumes && { pod: { persistentVolumeClaimSpec } }) });
  const { membership } = world.etcd;
  const remembered = membership.kind === 'known' ? membership.members : [];
  const names = remembered.map(({ podName }) => podName).sort();
  const isLeft = ({ name }: { readonly name: string }) => name === names[0];
  return {
    names,
    world: {
      ...world,
      pods: world.pods.filter(isLeft),
      volumes: world.volumes.filter(isLeft),
      etcd: {
        ...world.etcd,
        membership: { kind: 'unknown', why: 'no leader', remembered },
        answers: new Map([...world.etcd.answers].filter(([name]) => name === names[0])),
      },
    },
  };
}

const said: SurvivorAnswer = { term: 3, committed: 90, applied: 90, revision: 80, hasLeader: false };

/** As above, with two members, whose answers are given. */
function two(answers: readonly SurvivorAnswer[], volumes: readonly number[] = [0, 1]) {
  const { world, names } = lost(true);
  const whole = restingCluster({ size: 3, pod: { persistentVolumeClaimSpec } });
  const isLeft = ({ name }: { readonly name: string }) => name === names[0] || name === names[1];
  const hasVolume = ({ name }: { readonly name: string }) => volumes.some((at) => names[at] === name);
  // A probe is a read that needs a quorum.
  const pods = whole.pods.filter(isLeft).map((pod) => ({ ...pod, ready: false }));
  const left = { ...world, pods, volumes: whole.volumes.filter(hasVolume) };
  const asked = new Map(answers.map((answer, at) => [names[at] ?? '', answer]));
  return { names, report: (wanted?: string) => recoveryReport(left, wanted, asked) };
}

describe('what a cluster can be recovered from', () => {
  test('is shown member by member, with what would be lost and the one command', () => {
    const { world, names } = lost(true);
    const report = recoveryReport(
      world,
      undefined,
      new Map([[names[0] ?? '', { ...said, hash: 0xbeef, hashRevision: 80 }]]),
    );
    const text = print(report, 'text');
    expect(report.failure).toBeUndefined();
    expect(text).toMatch(/^MEMBER +POD +NODE +VOLUME +TERM +COMMITTED +APPLIED +REVISION +HASH +DATA\n/);
    expect(text).toMatch(
      new RegExp(
        `\n${names[0]} +Running .* yes +3 +90 +90 +80 +0000beef +etcd is reachable, no leader; its WAL is read from its volume`,
      ),
    );
    expect(text).toMatch(new RegExp(`\n${names[1]} +- +- +no +- +- +- +- +- +nothing`));
    expect(text).toContain(`from member ${names[0]}. The volumes of all members are kept.`);
    expect(text).toContain(`Writes that only ${names[1]}, ${names[2]} received would be lost.`);
    expect(text).toContain('To recover, run: kubectl etcd recover example --yes');
  });

  test('says what is missing of a member without a volume', () => {
    const { world, names } = lost(false);
    expect(print(recoveryReport(world, names[0], new Map([[names[0] ?? '', said]])), 'text')).toContain(
      `Writes that ${names[0]} received but had not applied would be lost`,
    );
  });

  test('is not offered where only the plugin does not reach members whose pods are Ready', () => {
    const whole = restingCluster({ size: 3 });
    const silent = { kind: 'unreachable', since: 0, why: 'timed out' } as const;
    const answers = new Map([...whole.etcd.answers.keys()].map((name) => [name, silent]));
    const membership = { kind: 'unknown', why: 'no member is reachable' } as const;
    const report = recoveryReport({ ...whole, etcd: { ...whole.etcd, membership, answers } }, undefined, new Map());
    expect(report.failure).toContain('recovery is not needed. Not reachable from here: example-');
    expect(report.data).toMatchObject({ quorum: true, lost: [] });
  });

  test('does not take a member for lost whose pod is there, and which is only not reachable', () => {
    const { report, names } = two([said], []);
    const text = print(report(), 'text');
    expect(report().data).toMatchObject({ lost: [names[2]], unreached: [names[1]] });
    expect(text).toMatch(
      new RegExp(`\n${names[1]} +Running .* no +- .* etcd is not reachable from here; its data is in its pod alone\n`),
    );
    expect(text).toContain(`Writes that only ${names[2]} received would be lost.`);
    expect(text).toContain(
      `Not reachable from here: ${names[1]}. The operator asks these members when the recovery begins`,
    );
    expect(report(names[1]).failure).toContain(`member ${names[1]} is not reachable from here`);
    expect(two([], []).report().failure).toBe(
      `no member with data is reachable from here (${names[0]}, ${names[1]}): make one of these members reachable. Restore a backup only if the data of all these members is gone`,
    );
  });

  test('is nothing while there is a quorum, where no data is left, and of a member that has none', () => {
    const { world, names } = lost(true);
    expect(recoveryReport(restingCluster({ size: 3 }), undefined, new Map()).failure).toContain('has a quorum');
    const gone = { ...world, pods: [], volumes: [], etcd: { ...world.etcd, answers: new Map() } };
    expect(recoveryReport(gone, undefined, new Map()).failure).toContain('Restore a backup instead');
    expect(recoveryReport(world, names[1], new Map()).failure).toContain(`members with data: ${names[0]}`);
  });

  test('is the member that is ahead, as far as their answers tell; the logs decide', () => {
    const { report, names } = two([said, { ...said, committed: 120, revision: 110 }]);
    const text = print(report(), 'text');
    expect(text).toContain(`the highest term and the highest index in that term (by committed index, ${names[1]}).`);
    expect(text).toContain(
      'the write-ahead log (WAL) of a member may have newer entries. The operator reads the WALs after the recovery has begun',
    );
    expect(text).toContain('The recovery fails if the WAL of a member is damaged');
    // One that does not answer may have the most.
    expect(print(two([said]).report(), 'text')).not.toContain('by committed index');
    expect(print(two([said, said]).report(), 'text')).not.toContain('by committed index');
  });

  test('is judged by hashes of one revision, which show that data is damaged', () => {
    const hashed = (hash: number) => ({ ...said, hash, hashRevision: 80 });
    const same = two([hashed(1), hashed(1)]);
    expect(print(same.report(), 'text')).toContain(
      `HashKV at revision 80 is the same on ${same.names[0]}, ${same.names[1]}: these members hold the same data.`,
    );
    expect(print(two([hashed(1), hashed(2)]).report(), 'text')).toContain(
      'so at least one of these members holds damaged data',
    );
  });

  test('has to be named where one member has a volume and another one has none', () => {
    const { report, names } = two([said, said], [0]);
    expect(report().failure).toContain(
      `cannot be compared with members without a volume. Name the member to recover from with --member (${names[0]}, ${names[1]})`,
    );
    expect(report(names[1]).failure).toBeUndefined();
  });
});
