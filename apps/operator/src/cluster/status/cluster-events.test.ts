// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import type { EtcdCluster, EtcdClusterStatus } from '../../api/etcd-cluster.ts';
import { clusterWith } from '../../testing/api-server-scene.ts';
import type { Step } from '../plan/step.ts';
import { ClusterEvents } from './cluster-events.ts';

type Recorded = readonly [type: string, reason: string, message: string];

const cluster: EtcdCluster = clusterWith('c', { size: 3 });

function eventsOf(tell: (events: ClusterEvents) => void): readonly Recorded[] {
  const recorded: Recorded[] = [];
  tell(new ClusterEvents({ record: (_, type, reason, message) => void recorded.push([type, reason, message]) }));
  return recorded;
}

const afterStep = (step: object) => eventsOf((events) => events.stepDone(cluster, step as Step));

const available = (status: 'True' | 'False', reason: string, message = ''): EtcdClusterStatus => ({
  conditions: [{ type: 'Available', status, reason, message }],
});
const afterChange = (before: EtcdClusterStatus | undefined, after: EtcdClusterStatus) =>
  eventsOf((events) => events.statusChanged(cluster, before, after));

describe('[71] events in the words of CoreOS etcd-operator', () => {
  test('a member is added, the seed included', () => {
    const expected: Recorded = ['Normal', 'New Member Added', 'New member c-x added to cluster'];
    expect(afterStep({ do: 'createSeed', name: 'c-x' })).toEqual([expected]);
    expect(afterStep({ do: 'joinMember', name: 'c-x' })).toEqual([expected]);
  });

  test('a member is removed', () => {
    expect(afterStep({ do: 'removeMember', name: 'c-x', because: 'scaleDown' })).toEqual([
      ['Normal', 'Member Removed', 'Existing member c-x removed from the cluster'],
    ]);
  });

  test('[49] a dead member is replaced: both are said', () => {
    expect(afterStep({ do: 'removeMember', name: 'c-x', because: 'dead' })).toEqual([
      ['Normal', 'Replacing Dead Member', 'The dead member c-x is being replaced'],
      ['Normal', 'Member Removed', 'Existing member c-x removed from the cluster'],
    ]);
  });

  test("[62] a member is upgraded; the blank at the end is CoreOS's", () => {
    const upgrade = { pod: 'c-x', from: '3.5.35', version: '3.6.16' };
    // The event is sent when the new version runs, not when the image is changed.
    expect(afterStep({ do: 'setImage', ...upgrade, because: 'asked' })).toEqual([]);
    expect(afterStep({ do: 'confirmImage', ...upgrade })).toEqual([
      ['Normal', 'Member Upgraded', 'Member c-x upgraded from 3.5.35 to 3.6.16 '],
    ]);
    expect(afterStep({ do: 'confirmImage', ...upgrade, from: '3.6.16' })).toEqual([]);
  });
});

describe('[71] troubles are warnings', () => {
  test('a spec that is refused, once for each reason', () => {
    const refused = (message: string): EtcdClusterStatus => ({
      conditions: [{ type: 'SpecRefused', status: 'True', reason: 'NotAllowed', message }],
    });
    expect(afterChange(undefined, refused('no'))).toEqual([['Warning', 'SpecRefused', 'no']]);
    expect(afterChange(refused('no'), refused('no'))).toEqual([]);
    expect(afterChange(refused('no'), available('True', 'Cluster available'))).toEqual([]);
  });

  test('an upgrade that fails', () => {
    expect(afterStep({ do: 'setImage', pod: 'c-x', from: '3.6.16', version: '3.5.35', because: 'failed' })).toEqual([
      ['Warning', 'UpgradeFailed', 'Rolling back member c-x to 3.5.35: it does not run with 3.6.16.'],
    ]);
  });

  test('an operator that is cut off from members that serve, once', () => {
    const [fine, cutOff] = [available('True', 'Cluster available'), available('False', 'Unreachable', 'pod/c-x')];
    expect(afterChange(fine, cutOff)).toEqual([['Warning', 'Unreachable', 'pod/c-x']]);
    expect(afterChange(cutOff, cutOff)).toEqual([]);
  });

  test('a member that differs from the others', () => {
    const [first, second] = afterStep({ do: 'removeMember', name: 'c-x', because: 'corrupt' });
    expect(first?.slice(0, 2)).toEqual(['Warning', 'ReplacingCorruptMember']);
    expect(first?.[2]).toContain('Replacing member c-x');
    expect(second?.[1]).toBe('Member Removed');
  });

  test.each(['NoSpace', 'Corrupt'])('an alarm (%s), once, and its end', (reason) => {
    const [good, bad] = [available('True', 'Cluster available'), available('False', reason, 'why')];
    expect(afterChange(good, bad)).toEqual([['Warning', 'AlarmRaised', 'why']]);
    expect(afterChange(bad, bad)).toEqual([]);
    expect(afterChange(bad, good)).toEqual([
      ['Normal', 'AlarmCleared', 'The alarm is disarmed; clients can write again.'],
    ]);
  });

  test('a lost quorum, once, and its return', () => {
    const well = available('True', 'Cluster available');
    const lost = available('False', 'QuorumLost', 'two of three do not answer');
    expect(afterChange(well, lost)).toEqual([['Warning', 'QuorumLost', 'two of three do not answer']]);
    expect(afterChange(lost, lost)).toEqual([]);
    expect(afterChange(lost, well)).toEqual([['Normal', 'QuorumRestored', 'Quorum is restored.']]);
    expect(afterChange(lost, available('False', 'Restoring'))).toEqual([]);
  });

  test('a version without fixes, once, with those to choose from', () => {
    const advised = (reason: string, message: string): EtcdClusterStatus => ({
      conditions: [{ type: 'VersionAdvisory', status: 'True', reason, message }],
    });
    const old = advised('EndOfLife', 'Supported versions: 3.6.16.');
    expect(afterChange(undefined, old)).toEqual([['Warning', 'VersionUnsupported', 'Supported versions: 3.6.16.']]);
    expect(afterChange(old, old)).toEqual([]);
    expect(afterChange(old, advised('KnownFaults', 'CVE-1'))).toEqual([]);
  });

  test('an invalid spec', () => {
    expect(afterChange(undefined, available('False', 'SpecInvalid', 'spec.size is 9'))).toEqual([
      ['Warning', 'SpecInvalid', 'spec.size is 9'],
    ]);
  });
});
