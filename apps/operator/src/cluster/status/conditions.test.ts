// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { planCluster } from '../plan/plan.ts';
import { patched } from '../plan/testing/situations/rolling.ts';
import {
  addMember,
  addPod,
  addVolume,
  answer,
  answers,
  type Change,
  cluster,
  corrupt,
  down,
  healthy,
  learner,
  noQuorum,
  nothing,
  nothingHeard,
  now,
  pod,
  pods,
  see,
  spec,
  withoutPod,
} from '../plan/testing/situations/vocabulary.ts';
import { conditionsOf } from './conditions.ts';

interface Row {
  readonly name: string;
  readonly given: readonly Change[];
  readonly isFirstTime?: boolean;
  /** An empty message must match exactly; any other may be a part of the condition's message. */
  readonly is: readonly [
    status: 'True' | 'False' | 'Unknown' | 'absent',
    reason?: string | undefined,
    message?: string,
  ];
}

const paused = cluster((facts) => ({ ...facts, paused: true }));
const deleting = cluster((facts) => ({ ...facts, deleting: true }));
const invalid = cluster((facts) => ({ ...facts, desired: { problems: ['spec.size is 0', 'and more'] } }));
const notAllowed = cluster((facts) => ({ ...facts, refusals: ['spec.pod.x is true.'] }));
const empty: Change = () => nothing();
const failed = cluster((facts) => ({
  ...facts,
  failedUpgrade: { version: '3.6.17', generation: 2, message: 'it panicked' },
}));

const table: Readonly<Record<string, readonly Row[]>> = {
  SecretsInvalid: [
    { name: 'all secrets can be used', given: [healthy(3)], is: ['absent'] },
    {
      name: 'operator rule 18: a certificate has expired under a running cluster',
      given: [healthy(3), see({ secretProblems: ['secret peer: the certificate expired yesterday'] })],
      is: ['True', 'SecretUnusable', 'expired yesterday'],
    },
  ],
  Available: [
    { name: 'pods that are not allowed: none yet', given: [empty, notAllowed], is: ['False', 'NotAllowed'] },
    {
      name: 'safety 18: the same, with pods of CoreOS',
      given: [empty, notAllowed, addPod('b', { clusterId: '' })],
      is: ['Unknown'],
    },
    { name: 'safety 18: pods that are not allowed, and serve', given: [healthy(3), notAllowed], is: ['True'] },
    { name: 'all voters answer', given: [healthy(3)], is: ['True', 'Cluster available', ''] },
    {
      name: 'safety 18: out of space: a client cannot write',
      given: [healthy(3), answers({ alarms: ['memberID:12 alarm:NOSPACE '] })],
      is: ['False', 'NoSpace', 'writes are refused; reads and deletes work. Delete keys, compact'],
    },
    {
      name: 'safety 18: members differ: a client cannot write, and the one that differs is named',
      given: [healthy(3), corrupt({ b: 1, c: 2, d: 1 })],
      is: ['False', 'Corrupt', 'The data of member c-cccccccccc differs'],
    },
    {
      name: 'safety 18: a paused cluster is no exception',
      given: [healthy(3), corrupt({ b: 1, c: 2, d: 3 }), paused],
      is: ['False', 'Corrupt', 'see runbook data-corruption'],
    },
    {
      name: 'a lost quorum weighs more than an alarm',
      given: [healthy(3), answers({ alarms: ['alarm:NOSPACE'] }), noQuorum],
      is: ['False', 'QuorumLost'],
    },
    {
      name: '[14] one of three is unreachable: still available, and it says so',
      given: [healthy(3), down(5_000, 'd')],
      is: ['True', 'Degraded', 'Clients are served, and 2 of 3 voters are healthy and Ready'],
    },
    {
      name: 'safety 18: all voters answer and none is Ready: the Service has no endpoint',
      given: [healthy(3), pods({ ready: false })],
      is: [
        'False',
        'NoEndpoints',
        'Service c-client has no endpoint: no pod of a voter is Ready. Waiting for pod/c-bbbbbbbbbb, pod/c-c',
      ],
    },
    {
      name: 'safety 18: the only Ready pod has lost the label that the Service selects',
      given: [healthy(3), pods({ ready: false }), pod('c', { ready: true, isolated: true })],
      is: ['False', 'NoEndpoints'],
    },
    {
      name: 'safety 18: one voter is Ready: clients get to it, and it says that the others are not',
      given: [healthy(3), pods({ ready: false }), pod('c', { ready: true })],
      is: ['True', 'Degraded', '1 of 3 voters is healthy and Ready'],
    },
    {
      name: 'safety 18: the Service is gone',
      given: [healthy(3), see({ services: { peer: 'current', client: 'missing' } })],
      is: ['False', 'NoEndpoints', 'Service c-client does not exist'],
    },
    {
      name: 'safety 18: a list was read, the operator reaches one voter, and no pod is Ready',
      given: [healthy(3), down(5_000, 'c', 'd'), pods({ ready: false })],
      is: ['False', 'NoEndpoints'],
    },
    {
      name: '[14] a majority is unreachable',
      given: [healthy(3), down(5_000, 'c', 'd'), noQuorum],
      is: ['False', 'QuorumLost', 'see runbook quorum-lost'],
    },
    {
      name: 'safety 18: the only member restarts with another version: not available, and no loss of quorum',
      given: [healthy(1), spec({ version: '3.6.17' }), patched('b', '3.6.17', '3.6.16'), down(5_000, 'b'), noQuorum],
      is: ['False', 'Cluster upgrading', 'Waiting for member c-bbbbbbbbbb to restart with 3.6.17.'],
    },
    {
      name: 'access control keeps the operator out: whether it serves is not known',
      given: [
        healthy(3),
        nothingHeard({ kind: 'unknown', why: 'user name is empty', locked: 'name a user in spec.auth.secret' }),
      ],
      is: ['Unknown', 'AccessDenied', 'spec.auth.secret'],
    },
    {
      name: '[60] everything is gone',
      given: [healthy(3), withoutPod('b', 'c', 'd'), noQuorum],
      is: ['False', 'DataLost', 'All members and their data are gone'],
    },
    {
      name: 'the first member is being made',
      given: [empty],
      is: ['False', 'Bootstrapping', 'Creating the first member.'],
    },
    {
      name: 'the first voter serves, but the cluster has never been complete',
      given: [healthy(1), spec({ size: 3 })],
      isFirstTime: true,
      is: ['False', 'Bootstrapping', '1 of 3 members is voting, 2 are still joining.'],
    },
    {
      name: 'growing later does not make it unavailable',
      given: [healthy(3), spec({ size: 5 })],
      is: ['True', 'Cluster available'],
    },
    {
      name: '[8] the spec is invalid',
      given: [healthy(3), invalid],
      is: ['False', 'SpecInvalid', 'spec.size is 0; and more'],
    },
    {
      name: 'identities contradict each other',
      given: [healthy(3), pod('c', { clusterId: 'c9' })],
      is: ['False', 'IdentityConflict', 'c9'],
    },
    {
      name: '[103] CoreOS etcd-operator is alive and the cluster serves',
      given: [healthy(3), see({ coreosOperator: 'old-1' })],
      is: ['True', 'Cluster available'],
    },
    {
      name: '[103] CoreOS etcd-operator is alive and nothing has been taken over yet',
      given: [empty, see({ coreosOperator: 'old-1' })],
      is: ['False', 'CoreOSOperatorRunning', 'old-1'],
    },
    { name: '[12] paused and well', given: [healthy(3), paused], is: ['True', 'Cluster available'] },
    {
      name: '[12] paused without a quorum',
      given: [healthy(3), paused, down(1_000, 'c', 'd'), noQuorum],
      is: ['False', 'Paused'],
    },
    { name: 'being deleted before it was bootstrapped', given: [empty, deleting], is: ['False', 'Deleting'] },
    {
      name: 'a refused change leaves the cluster available',
      given: [healthy(3), spec({ peerTLS: true })],
      is: ['True', 'Cluster available'],
    },
  ],
  Scaling: [
    { name: 'at its size', given: [healthy(3)], is: ['False', 'AtSize', ''] },
    {
      name: '[13] growing',
      given: [healthy(3), spec({ size: 5 })],
      is: ['True', 'Scaling up', 'Current cluster size: 3, desired cluster size: 5'],
    },
    {
      name: '[13] shrinking',
      given: [healthy(5), spec({ size: 3 })],
      is: ['True', 'Scaling down', 'Current cluster size: 5, desired cluster size: 3'],
    },
    {
      name: '[13] from nothing',
      given: [empty],
      is: ['True', 'Scaling up', 'Current cluster size: 0, desired cluster size: 3'],
    },
    { name: 'healing is not scaling', given: [healthy(3), withoutPod('d')], is: ['False', 'AtSize'] },
  ],
  Upgrading: [
    { name: 'at its version', given: [healthy(3)], is: ['False', 'AtVersion', ''] },
    {
      name: '[13] rolling',
      given: [healthy(3), spec({ version: '3.6.17' })],
      is: ['True', 'Cluster upgrading', 'Upgrading to 3.6.17.'],
    },
    {
      name: '[9] refused',
      given: [healthy(3, { version: '3.5.35' }), spec({ version: '3.7.3' })],
      is: ['False', 'UpgradeHeld', 'only one minor at a time'],
    },
    {
      name: '[63] failed before',
      given: [healthy(3), spec({ version: '3.6.17' }), failed],
      is: ['False', 'UpgradeHeld', 'it panicked'],
    },
    {
      name: 'the only member restarts with it',
      given: [healthy(1), spec({ version: '3.6.17' }), patched('b', '3.6.17', '3.6.16'), down(5_000, 'b'), noQuorum],
      is: ['True', 'Cluster upgrading'],
    },
    {
      name: 'waiting for a node is still upgrading',
      given: [healthy(3), spec({ version: '3.6.17' }), answers({ alarms: ['alarm:NOSPACE'] })],
      is: ['True', 'Cluster upgrading'],
    },
  ],
  Recovering: [
    { name: 'nothing to heal', given: [healthy(3)], is: ['False', 'AllHealthy', ''] },
    {
      name: 'a member is replaced',
      given: [healthy(3), withoutPod('d')],
      is: ['True', 'ReplacingMember', 'Replacing member c-dddddddddd'],
    },
    {
      name: 'the operator waits for a member that it cannot reach',
      given: [healthy(3), down(5_000, 'd')],
      is: ['True', 'ReplacingMember', 'is not reachable from the operator'],
    },
  ],
  VolumesOfOtherOwner: [
    { name: 'none', given: [healthy(3)], is: ['absent'] },
    {
      name: 'operator rule 5: named',
      given: [healthy(3, { storage: 'claim' }), addVolume('f', { ownership: 'other' })],
      is: ['True', 'OtherOwner', 'c-ffffffffff'],
    },
  ],
  PodsOfOtherOwner: [
    { name: 'none', given: [healthy(3)], is: ['absent'] },
    {
      name: 'operator rule 30: named',
      given: [healthy(3), addPod('f', { ownership: 'other' })],
      is: ['True', 'OtherOwner', 'pod/c-ffffffffff'],
    },
  ],
  ServicesOfOtherOwner: [
    { name: 'none', given: [healthy(3)], is: ['absent'] },
    {
      name: 'named',
      given: [healthy(3), see({ services: { peer: 'current', client: 'otherOwner' } })],
      is: ['True', 'OtherOwner', 'Service c-client'],
    },
  ],
  UnmanagedMembers: [
    { name: 'none', given: [healthy(3)], is: ['absent'] },
    {
      name: 'operator rule 29: named with their address',
      given: [healthy(3), addMember('x', { podName: 'db-7', name: 'db-7', peerURLs: ['http://db-7:2380'] })],
      is: ['True', 'NotCreatedByOperator', 'http://db-7:2380'],
    },
  ],
  PodsOutdated: [
    { name: 'none', given: [healthy(3)], is: ['absent'] },
    {
      name: 'operator rule 7: with the cost in bytes',
      given: [healthy(3), pods({ drift: [{ field: 'affinity', remedy: 'replace' }] })],
      is: ['True', 'WaitingForReplacement', '12288 bytes'],
    },
    {
      name: 'operator rule 7: not when they are being replaced',
      given: [
        healthy(3, { updatePolicy: 'Replace' }),
        pods({ drift: [{ field: 'affinity', remedy: 'replace' }] }),
        learner('f'),
      ],
      is: ['absent'],
    },
  ],
  AdoptedPods: [
    { name: 'none', given: [healthy(3)], is: ['absent'] },
    {
      name: 'operator rule 8: counted',
      given: [healthy(3), pods({ adopted: true, boot: 'fixed' })],
      is: ['True', 'CreatedByCoreOS', '3 pods'],
    },
  ],
  AlarmRaised: [
    { name: 'none', given: [healthy(3)], is: ['absent'] },
    {
      name: 'fault 31: out of space',
      given: [healthy(3), answer('d', { alarms: ['memberID:12 alarm:NOSPACE '] })],
      is: ['True', 'NoSpace', 'quota'],
    },
    {
      name: 'fault 30: corruption weighs more',
      given: [healthy(3), answers({ alarms: ['alarm:NOSPACE', 'alarm:CORRUPT'] })],
      is: ['True', 'Corrupt', 'different data'],
    },
  ],
  VersionAdvisory: [
    { name: 'a current version', given: [healthy(3)], is: ['absent'] },
    {
      name: 'a version with known faults, and what cures them',
      given: [healthy(3, { version: '3.6.10' })],
      is: ['True', 'KnownFaults', 'Upgrade to 3.6.14'],
    },
    {
      name: 'a new cluster of a version without fixes is told which ones there are',
      given: [empty, spec({ version: '3.2.13' })],
      is: [
        'True',
        'EndOfLife',
        'spec.version is 3.2.13, which no longer gets fixes. Supported versions: 3.5.35, 3.6.16, 3.7.3.',
      ],
    },
    { name: 'a new cluster of a current version', given: [empty], is: ['absent'] },
    {
      name: 'the oldest member counts',
      given: [healthy(3), answer('d', { version: '3.5.29' })],
      is: ['True', 'KnownFaults', 'etcd 3.5.29'],
    },
  ],
  EvenSize: [
    { name: 'odd', given: [healthy(3)], is: ['absent'] },
    {
      name: 'even',
      given: [healthy(4)],
      is: ['True', 'NoMoreTolerance', '4 members tolerate as many failed members as 3: 1. Use an odd size.'],
    },
  ],
  UnknownFields: [
    { name: 'none', given: [healthy(3)], is: ['absent'] },
    {
      name: 'one that is misspelt',
      given: [healthy(3), cluster((facts) => ({ ...facts, unknownFields: ['spec.sizee'] }))],
      is: ['True', 'NotInSchema', 'spec.sizee is not a field of an EtcdCluster and is ignored.'],
    },
    {
      name: 'several, also in a spec that is not valid',
      given: [healthy(3), invalid, cluster((facts) => ({ ...facts, unknownFields: ['spec.sizee', 'spec.pod.lable'] }))],
      is: ['True', undefined, 'spec.sizee, spec.pod.lable are not fields'],
    },
  ],
  SpecRefused: [
    { name: 'nothing refused', given: [healthy(3)], is: ['absent'] },
    {
      name: 'TLS on a living cluster',
      given: [healthy(3), spec({ clientTLS: true })],
      is: ['True', 'TLSChange', 'turns TLS for clients on'],
    },
    { name: 'pods that are not allowed', given: [healthy(3), notAllowed], is: ['True', 'NotAllowed'] },
  ],
};

describe.each(Object.entries(table))('%s', (type, rows) => {
  test.each(rows)('$name', (row) => {
    const observation = row.given.reduce((seen, change) => change(seen), nothing());
    const claims = conditionsOf(observation, planCluster(observation, now), !row.isFirstTime);
    const claim = claims.find((candidate) => candidate.type === type);
    const [status, reason = claim?.reason, message = claim?.message] = row.is;
    expect({ status: claim?.status ?? 'absent', reason: claim?.reason }).toEqual({ status, reason });
    expect(message === '' ? claim?.message === '' : claim?.message?.includes(message ?? '') !== false).toBe(true);
  });
});

describe('all conditions', () => {
  test('the four of CoreOS etcd-operator are always there, with a reason', () => {
    for (const rows of Object.values(table)) {
      for (const { given } of rows) {
        const observation = given.reduce((seen, change) => change(seen), nothing());
        const claims = conditionsOf(observation, planCluster(observation, now), true);
        expect(claims.slice(0, 4).map((claim) => claim.type)).toEqual([
          'Available',
          'Scaling',
          'Upgrading',
          'Recovering',
        ]);
        for (const claim of claims) {
          expect(claim.reason).not.toBe('');
          expect(claim.message.length).toBeLessThanOrEqual(4096);
        }
      }
    }
  });
});
