// SPDX-License-Identifier: Apache-2.0
import {
  addPod,
  cluster,
  down,
  healthy,
  noQuorum,
  nothing,
  pod,
  pods,
  type Row,
  see,
  spec,
  withoutPod,
} from './vocabulary.ts';

const paused = cluster((facts) => ({ ...facts, paused: true }));
const invalid = cluster((facts) => ({ ...facts, desired: { problems: ['spec.size is 0'] } }));
const notAllowed = cluster((facts) => ({ ...facts, refusals: ['spec.pod.x is true.', 'spec.repository is y.'] }));
const deleting = cluster((facts) => ({ ...facts, deleting: true }));

/** Cases in which the operator must not change anything: checklist 8 to 10, 26, 50, 103; TLS changes on a running cluster. */
export const withheld: readonly Row[] = [
  {
    name: '[50] paused: nothing is changed, not even healed',
    given: [healthy(3), paused, withoutPod('d')],
    steps: [],
    situation: 'paused',
  },
  {
    name: '[50] paused: missing Services are not made, a voter keeps its bootstrap configuration',
    given: [healthy(3), paused, see({ services: { peer: 'missing', client: 'missing' } }), pod('b', { boot: 'new' })],
    steps: [],
    situation: 'paused',
  },
  {
    name: '[50] paused before it was bootstrapped: no seed',
    given: [() => nothing(), paused],
    steps: [],
    situation: 'paused',
  },
  {
    name: '[50] paused with a majority gone: nothing',
    given: [healthy(3, { storage: 'claim' }), paused, withoutPod('b', 'c', 'd'), noQuorum],
    steps: [],
    situation: 'paused',
  },
  {
    name: '[9] an invalid spec: nothing is changed',
    given: [healthy(3), invalid, withoutPod('d')],
    steps: [],
    situation: 'invalid',
  },
  {
    name: '[8] an invalid spec from the start: no seed',
    given: [() => nothing(), invalid],
    steps: [],
    situation: 'invalid',
  },
  {
    name: '[26] an object that is being deleted: everything goes by its owner, the operator does nothing',
    given: [healthy(3), deleting, withoutPod('d')],
    steps: [],
    situation: 'deleting',
  },
  {
    name: '[26] deleting comes before pausing',
    given: [healthy(3), deleting, paused],
    steps: [],
    situation: 'deleting',
  },
  {
    name: '[103] CoreOS etcd-operator is alive: not even a seed is made',
    given: [() => nothing(), see({ coreosOperator: 'etcd-operator-1' })],
    steps: [],
    because:
      'The CoreOS etcd-operator still holds its lock (etcd-operator-1). Scale it to 0; reconciliation is suspended until then.',
    situation: 'coreosOperator',
  },
  {
    name: 'pods that are not allowed: no seed, no Service',
    given: [() => nothing(), notAllowed],
    steps: [],
    because: 'spec.pod.x is true. spec.repository is y.',
    situation: 'refused',
  },
  {
    name: 'pods that are not allowed: a living cluster is not changed, not even healed',
    given: [healthy(3, { storage: 'claim' }), notAllowed, withoutPod('d'), pod('b', { boot: 'new' })],
    steps: [],
    because: 'spec.pod.x is true.',
    situation: 'refused',
  },
  {
    name: 'TLS between members turned on: refused with the reason, pods are not mixed',
    given: [healthy(3), spec({ peerTLS: true })],
    steps: [],
    because:
      'spec.TLS turns TLS between members on, but member c-bbbbbbbbbb was created without TLS, and members with and without TLS cannot connect.',
    situation: 'refused',
  },
  {
    name: 'TLS between members turned off: refused',
    given: [healthy(3, { peerTLS: true }), spec({ peerTLS: false })],
    steps: [],
    because: 'turns TLS between members off',
    situation: 'refused',
  },
  {
    name: 'TLS for clients turned on: refused, also if no member answers any more because of it',
    given: [healthy(3), spec({ clientTLS: true }), down(9_000, 'b', 'c', 'd'), noQuorum],
    steps: [],
    because: 'turns TLS for clients on',
    situation: 'refused',
  },
  {
    name: 'TLS turned on while a member is gone: no pod is made that could not talk to the others',
    given: [healthy(3, { storage: 'claim' }), spec({ peerTLS: true }), withoutPod('d')],
    steps: [],
    situation: 'refused',
  },
  {
    name: 'TLS turned on while all pods are gone: the volumes remember, and no member comes back as one of another kind',
    given: [healthy(3, { storage: 'claim' }), spec({ peerTLS: true }), withoutPod('b', 'c', 'd'), noQuorum],
    steps: [],
    because: 'turns TLS between members on',
    situation: 'refused',
  },
  {
    name: 'a TLS cluster as it was made is at rest',
    given: [healthy(3, { peerTLS: true, clientTLS: true })],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'operator rule 18: secrets that would fail now: living members are untouched',
    given: [healthy(3, { peerTLS: true }), see({ secretProblems: ['peer certificate expired'] })],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'operator rule 18: secrets that would fail now: no member joins with them',
    given: [
      healthy(3, { peerTLS: true }),
      spec({ size: 5 }),
      see({ secretProblems: ['peer certificate expired'], budget: { minAvailable: 3, otherOwner: false } }),
    ],
    steps: [],
    because: 'peer certificate expired',
    situation: 'scalingUp',
  },
  {
    name: 'a pod of another incarnation does not count as a pod of another kind',
    given: [healthy(3), addPod('f', { ownership: 'other', peerTLS: true })],
    steps: [],
    situation: 'steady',
  },
  {
    name: 'a conflict about identity is not repaired by anything',
    given: [
      healthy(3),
      pods({ clusterId: 'c5' }),
      see({ services: { peer: 'missing', client: 'missing' } }),
      withoutPod('d'),
    ],
    steps: [],
    situation: 'identityConflict',
  },
];
