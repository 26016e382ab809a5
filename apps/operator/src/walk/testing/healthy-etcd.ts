// SPDX-License-Identifier: Apache-2.0
import type { Answer, EtcdView } from '../../cluster/observation.ts';
import type { KubernetesView } from '../../cluster/observe/observe.ts';

export const clusterId = 'c1';

/** Names of the members by member ID. */
export const memberNames: ReadonlyMap<string, string> = new Map(
  [1, 2, 3].map((number) => [`a${number}`, `walk-000${number}`]),
);

/** etcd's view of three voters. Those with a Ready pod answer. If the leader does not answer, another member leads. */
export function healthyEtcd({ pods }: KubernetesView, namespace: string, leader = 'a1'): EtcdView {
  const ready = new Set(pods.filter((pod) => pod.ready && !pod.terminating).map(({ name }) => name));
  const present = [...memberNames].filter(([, name]) => ready.has(name)).map(([id]) => id);
  const leaderId = present.includes(leader) ? leader : (present[0] ?? '');
  const answers = [...memberNames].map(([memberId, name]): readonly [string, Answer] => [
    name,
    ready.has(name) ? answerOf(memberId, leaderId) : { kind: 'unreachable', since: 1_000_000_000, why: 'it starts' },
  ]);
  return {
    membership: {
      ...{ kind: 'known', clusterId, since: 1 },
      members: [...memberNames].map(([id, name]) => ({
        ...{ id, name, podName: name, isLearner: false, seenSince: 1 },
        peerURLs: [`http://${name}.walk.${namespace}.svc:2380`],
      })),
    },
    clusterVersion: '',
    answers: new Map(answers),
    heard: new Map(),
    hashes: new Map(),
  };
}

function answerOf(memberId: string, leaderId: string): Answer {
  return {
    ...{ kind: 'status', memberId, clusterId, version: '3.6.16', leaderId, leaderlessSince: 0, identitySince: 1 },
    ...{ isLearner: false, revision: 1, raftIndex: 10, raftAppliedIndex: 10, dbSize: 1, alarms: [], since: 1 },
    ...{ raftSnapshots: undefined, downgradeTarget: '', storageVersion: '' },
  };
}
