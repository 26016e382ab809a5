// SPDX-License-Identifier: Apache-2.0
import type { Observation } from '@etcd-operator/operator';
import { describe, expect, test } from 'vitest';
import { restingCluster } from '../testing/imagined-cluster.ts';
import { print } from './print.ts';
import { recoveryReport } from './recovery.ts';

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

describe('what a cluster can be recovered from', () => {
  test('is shown member by member, with what would be lost and the one command', () => {
    const { world, names } = lost(true);
    const report = recoveryReport(world, undefined);
    const text = print(report, 'text');
    expect(report.failure).toBeUndefined();
    expect(text).toMatch(/^MEMBER +POD +NODE +VOLUME +RAFT INDEX +REVISION +DATA\n/);
    expect(text).toMatch(new RegExp(`\n${names[0]} +Running .* yes .* its log is read from its volume`));
    expect(text).toMatch(new RegExp(`\n${names[1]} +- +- +no +- +- +nothing`));
    expect(text).toContain(`from member ${names[0]}. The volumes of all members are kept.`);
    expect(text).toContain(`Lost: writes that no member but ${names[1]}, ${names[2]} received.`);
    expect(text).toContain('To recover, run: kubectl etcd recover example --yes');
  });

  test('says what is missing of a member without a volume', () => {
    const { world, names } = lost(false);
    expect(print(recoveryReport(world, names[0]), 'text')).toContain(
      `Lost: writes that ${names[0]} received but had not applied`,
    );
  });

  test('is nothing while there is a quorum, where no data is left, and of a member that has none', () => {
    const { world, names } = lost(true);
    expect(recoveryReport(restingCluster({ size: 3 }), undefined).failure).toContain('has a quorum');
    const gone = { ...world, pods: [], volumes: [], etcd: { ...world.etcd, answers: new Map() } };
    expect(recoveryReport(gone, undefined).failure).toContain('restore a backup instead');
    expect(recoveryReport(world, names[1]).failure).toContain(`members with data: ${names[0]}`);
  });
});
