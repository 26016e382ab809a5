// SPDX-License-Identifier: Apache-2.0
import { etcdClusters } from '../api/etcd-cluster.ts';
import { clusterBase, clusterOutcome } from './testing/cluster-outcome.ts';
import { walkKind } from './testing/walk-kind.ts';

walkKind({
  kind: etcdClusters,
  base: clusterBase,
  outcomeOf: clusterOutcome,
  // The items have the same type as those of sidecars.
  isWalkedElsewhere: (path) => path.startsWith('spec.pod.initContainers[].'),
  notMade: {
    'spec.size': 'the planner adds and removes members until there are as many',
    'spec.paused': 'the planner does nothing while it is true',
    'spec.pod.updatePolicy': 'says what the planner does with pods that differ',
    'spec.pod.replaceAfter': 'says how long the planner waits for a member',
    'spec.TLS.static.operatorSecret': "the operator's own certificate, which it reads itself",
    'spec.recovery.quorumLoss': 'says what the planner does when the quorum is lost',
    'spec.recovery.after': 'says how long the planner waits for a quorum',
    'spec.auth.secret': "the operator's own login, which it reads itself",
  },
  readOtherwise: {},
});
