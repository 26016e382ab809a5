// SPDX-License-Identifier: Apache-2.0
import { image, patched, proven, upgraded } from './rolling.ts';
import {
  answer,
  answers,
  budget,
  cannotPull,
  cluster,
  container,
  down,
  healthy,
  idOf,
  node,
  nodeOf,
  now,
  pod,
  rowsOf,
  spec,
} from './vocabulary.ts';

/** A new patch version, whose image has been checked on all nodes. */
const toPatch = [healthy(3), spec({ version: '3.6.17' }), proven('3.6.17')] as const;
const firstPatched = [...toPatch, patched('c', '3.6.17', '3.6.16')] as const;

/** Another version or image, one member at a time: operator rules 6, 8, 10, 19; faults 30, 31, 35, 45. */
export const upgrade = rowsOf('upgrading', [
  {
    name: 'operator rule 6: the image is proven on every node before anything is stopped',
    given: [healthy(3), spec({ version: '3.6.17' })],
    steps: ['checkImage node-b 3.6.17', 'checkImage node-c 3.6.17', 'checkImage node-d 3.6.17'],
    because:
      'Checking image quay.io/coreos/etcd:v3.6.17 on node node-b: pulling and running the image once before a member uses it.',
  },
  {
    name: 'operator rule 6: two members on one node need one check',
    given: [healthy(3), spec({ version: '3.6.17' }), pod('d', { node: nodeOf('c') })],
    steps: ['checkImage node-b 3.6.17', 'checkImage node-c 3.6.17'],
  },
  {
    name: 'operator rule 6: while a check pulls, nothing happens',
    given: [healthy(3), spec({ version: '3.6.17' }), proven('', 'bcd', { result: 'pending', detail: '' })],
    steps: [],
    because: 'Waiting for image quay.io/coreos/etcd:v3.6.17 to be pulled on node node-b.',
  },
  {
    name: '[63] fault 45: a tag that does not exist is found before any member is stopped',
    given: [healthy(3), spec({ version: '3.6.17' }), proven('not found', 'bcd', { result: 'failed' })],
    steps: [],
    because: 'cannot be used on node node-b: not found',
  },
  {
    name: 'a check that failed a while ago is tried again: a registry may be mended',
    given: [
      healthy(3),
      spec({ version: '3.6.17' }),
      proven('not found', 'b', { result: 'failed', seenSince: now - 400_000 }),
    ],
    steps: ['deleteImageCheck new'],
    because:
      'Deleting the pod that tested the image on node node-b, so that the test is repeated: it failed (not found).',
  },
  {
    name: 'operator rule 6: an image that holds another version than its tag says is not used',
    given: [healthy(3), spec({ version: '3.6.17' }), proven('3.6.9')],
    steps: [],
    because: 'Image quay.io/coreos/etcd:v3.6.17 cannot be used: it contains etcd 3.6.9, not 3.6.17.',
  },
  {
    name: "a packager's suffix makes no other version",
    given: [healthy(3), spec({ version: '3.6.17-0' }), proven('3.6.17')],
    steps: ['setImage c 3.6.17-0'],
  },
  {
    name: '[62] one member at a time, in place, not the leader',
    given: toPatch,
    steps: ['setImage c 3.6.17'],
    because: 'Updating member c-cccccccccc from 3.6.16 to 3.6.17 in place. Remaining members: 2.',
  },
  {
    name: '[63] operator rule 19: the patched member does not answer yet: the next one waits, also if its pod says Running',
    given: [...firstPatched, down(2_000, 'c')],
    steps: [],
    because: 'c-cccccccccc is not reachable from the operator',
    situation: 'healing',
  },
  {
    name: 'operator rule 6: it answers with the new version, but Kubernetes still shows the old container: not settled yet',
    given: [...firstPatched, answer('c', { version: '3.6.17' })],
    steps: [],
    because: 'Waiting for member c-cccccccccc to restart with its new image.',
  },
  {
    name: 'operator rule 6: success is the new version from a new container',
    given: [...firstPatched, container('c', { id: 'another' }), answer('c', { version: '3.6.17' })],
    steps: ['confirmImage c'],
    because: 'Confirming version 3.6.17 of member c-cccccccccc: the member is reachable and runs this version.',
  },
  {
    name: '[63] then the next follower',
    given: [...toPatch, ...upgraded('c', '3.6.17')],
    steps: ['setImage d 3.6.17'],
  },
  {
    name: '[63] the leader is last, and hands over first',
    given: [...toPatch, ...upgraded('c', '3.6.17'), ...upgraded('d', '3.6.17')],
    steps: ['moveLeader b to c'],
    because: 'Moving leadership to member c-cccccccccc: the current leader c-bbbbbbbbbb is about to restart.',
  },
  {
    name: '[63] then it is patched too',
    given: [...toPatch, ...upgraded('c', '3.6.17'), ...upgraded('d', '3.6.17'), answers({ leaderId: idOf('c') })],
    steps: ['setImage b 3.6.17'],
  },
  {
    name: 'when all run it, the image checks are cleared away',
    given: [healthy(3), proven('3.6.16')],
    steps: ['deleteImageCheck new', 'deleteImageCheck new', 'deleteImageCheck new'],
    because: 'Deleting the pod that tested the image on node node-b: the pod is no longer needed.',
    situation: 'steady',
  },
  {
    name: 'a cluster of one cannot serve while it restarts, and says so',
    given: [healthy(1), spec({ version: '3.6.17' }), proven('3.6.17', 'b')],
    steps: ['setImage b 3.6.17'],
    because: 'cannot serve clients while a member restarts',
  },
  {
    name: 'operator rule 3: the first member that fails is rolled back at once; no other is touched',
    given: [
      ...firstPatched,
      container('c', { id: 'another', state: 'waiting', reason: 'CrashLoopBackOff', startedAt: 0, restarts: 2 }),
      down(20_000, 'c'),
    ],
    steps: ['setImage c 3.6.16 (back)'],
    because: 'Rolling back member c-cccccccccc to 3.6.16: it does not run with 3.6.17 (CrashLoopBackOff).',
    situation: 'healing',
  },
  {
    name: 'operator rule 3: the cluster speaks the new minor already: a member that crashes then does not go back',
    given: [
      healthy(3, { version: '3.6.16' }),
      patched('c', '3.6.16', '3.5.35'),
      container('c', { id: 'another', state: 'waiting', reason: 'CrashLoopBackOff', startedAt: 0, restarts: 2 }),
      down(20_000, 'c'),
    ],
    steps: [],
    because: 'CrashLoopBackOff',
    situation: 'healing',
  },
  {
    name: '[44] a new version is settled also while another member is being healed',
    given: [...firstPatched, container('c', { id: 'another' }), answer('c', { version: '3.6.17' }), down(5_000, 'd')],
    steps: ['confirmImage c'],
    situation: 'healing',
  },
  {
    name: 'operator rule 19: what Kubernetes still says of the container before is no failure of the new image',
    given: [
      ...firstPatched,
      container('c', { state: 'waiting', reason: 'CrashLoopBackOff', startedAt: 0, restarts: 2 }),
      down(20_000, 'c'),
    ],
    steps: [],
    situation: 'healing',
  },
  {
    name: 'operator rule 19: an image that cannot be pulled is a failure only if it is the new one',
    given: [
      healthy(3),
      spec({ version: '3.6.17' }),
      patched('c', '3.6.17', '3.6.16'),
      container('c', { ...cannotPull, message: `Back-off pulling image "${image('3.6.16')}"` }),
      down(20_000, 'c'),
    ],
    steps: [],
    situation: 'healing',
  },
  {
    name: 'fault 45: the new image cannot be pulled after all: the member goes back',
    given: [
      healthy(3),
      spec({ version: '3.6.17' }),
      patched('c', '3.6.17', '3.6.16'),
      container('c', { ...cannotPull, message: `Back-off pulling image "${image('3.6.17')}"` }),
      down(20_000, 'c'),
    ],
    steps: ['setImage c 3.6.16 (back)'],
    situation: 'healing',
  },
  {
    name: 'a new version that starts slowly is given as long as the startup probe',
    given: [
      ...firstPatched,
      container('c', { id: 'another', startedAt: now - 100_000, runningSince: now - 100_000 }),
      down(101_000, 'c'),
    ],
    steps: [],
    situation: 'healing',
  },
  {
    name: 'operator rule 15: a new version that opens a large database is not taken for dead after replaceAfter',
    given: [
      healthy(3, { storage: 'claim' }),
      spec({ version: '3.6.17' }),
      proven('3.6.17'),
      patched('c', '3.6.17', '3.6.16'),
      container('c', { id: 'another', startedAt: now - 200_000, runningSince: now - 200_000 }),
      down(201_000, 'c'),
    ],
    steps: [],
    because: 'Waiting for member c-cccccccccc: etcd is opening its data.',
    situation: 'healing',
  },
  {
    name: "fault 37: the node's clock is an hour behind: a new version that has just been started is not rolled back",
    given: [
      ...firstPatched,
      container('c', { id: 'another', startedAt: now - 3_600_000, runningSince: now - 3_600_000 }),
      down(300, 'c'),
    ],
    steps: [],
    situation: 'healing',
  },
  {
    name: 'a version that did not work is not tried again for this generation of the spec',
    given: [
      ...toPatch,
      cluster((facts) => ({ ...facts, failedUpgrade: { version: '3.6.17', generation: 2, message: 'it panicked' } })),
    ],
    steps: [],
    because: 'it panicked',
  },
  {
    name: 'safety rule 8: a newer spec is tried, though the version failed before',
    given: [
      ...toPatch,
      cluster((facts) => ({ ...facts, failedUpgrade: { version: '3.6.17', generation: 1, message: 'it panicked' } })),
    ],
    steps: ['setImage c 3.6.17'],
  },
  {
    name: 'fault 45: the spec is reverted while a member hangs in the new image: it takes the old one at once',
    given: [
      healthy(3),
      patched('c', '3.6.17', '3.6.16'),
      container('c', { ...cannotPull, message: `Back-off pulling image "${image('3.6.17')}"` }),
      down(20_000, 'c'),
    ],
    steps: ['setImage c 3.6.16 (back)'],
    situation: 'healing',
  },
  {
    name: '[65] another repository, same version: rolled like an upgrade',
    given: [healthy(3), spec({ repository: 'example.com/etcd' }), proven('3.6.16')],
    steps: ['setImage c 3.6.16'],
    because: 'Updating member c-cccccccccc to image example.com/etcd:v3.6.16 in place. Remaining members: 2.',
  },
  {
    name: '[65] another repository: the old process still answers with the same version, so the next one waits',
    given: [
      healthy(3),
      spec({ repository: 'example.com/etcd' }),
      proven('3.6.16'),
      pod('c', {
        image: 'example.com/etcd:v3.6.16',
        previousVersion: '3.6.16',
        previousImage: image('3.6.16'),
        previousContainer: 'container-c',
      }),
    ],
    steps: [],
    because: 'Waiting for member c-cccccccccc to restart with its new image.',
  },
  {
    name: '[65] another repository that does not work: back to the old one',
    given: [
      healthy(3),
      spec({ repository: 'example.com/etcd' }),
      pod('c', {
        image: 'example.com/etcd:v3.6.16',
        previousVersion: '3.6.16',
        previousImage: image('3.6.16'),
        previousContainer: 'container-c',
      }),
      container('c', { ...cannotPull, message: 'Back-off pulling image "example.com/etcd:v3.6.16"' }),
      down(9_000, 'c'),
    ],
    steps: ['setImage c 3.6.16 (back)'],
    situation: 'healing',
  },
  {
    name: 'fault 35: another voter sits on a cordoned node: no member is restarted',
    given: [...toPatch, node('d', { schedulable: false })],
    steps: [],
    because: 'Node node-d of member c-dddddddddd is cordoned. No member is restarted until it is ready.',
  },
  {
    name: 'the member that was upgraded last is healthy but not Ready: clients reach only the others, and none of these stops',
    given: [
      ...toPatch,
      ...upgraded('d', '3.6.17'),
      pod('d', { ready: false }),
      container('d', { runningSince: now - 3_000 }),
    ],
    steps: [],
    because: 'pod/c-dddddddddd is not Ready yet, so clients cannot reach it.',
  },
  {
    name: 'a member that does not get Ready within half a minute holds nothing up',
    given: [
      ...toPatch,
      ...upgraded('d', '3.6.17'),
      pod('d', { ready: false }),
      container('d', { runningSince: now - 40_000 }),
    ],
    steps: ['setImage c 3.6.17'],
  },
  {
    name: "fault 35: another voter's node is not ready: no member is restarted",
    given: [...toPatch, node('b', { ready: false })],
    steps: [],
    because: 'not ready',
  },
  {
    name: "fault 35: the member's own node being cordoned is no reason: its container restarts where it is",
    given: [...toPatch, node('c', { schedulable: false })],
    steps: ['setImage c 3.6.17'],
  },
  {
    name: 'fault 31: out of space: no upgrade meanwhile',
    given: [...toPatch, answer('d', { alarms: ['memberID:0 alarm:NOSPACE '] })],
    steps: [],
    because: 'raised NOSPACE',
  },
  {
    name: 'fault 30: a corrupt member: no upgrade meanwhile',
    given: [healthy(3), spec({ version: '3.6.17' }), answers({ alarms: ['memberID:1 alarm:CORRUPT '] })],
    steps: [],
    because: 'raised CORRUPT',
    situation: 'healing',
  },
  {
    name: '[44] heal before upgrade: an unreachable member holds it up',
    given: [...toPatch, down(5_000, 'd')],
    steps: [],
    because: 'is not reachable from the operator',
    situation: 'healing',
  },
  {
    name: '[44] scale before upgrade',
    given: [healthy(3), spec({ version: '3.6.17', size: 1 }), budget(2)],
    steps: ['removeMember c (scale)'],
    situation: 'scalingDown',
  },
]);
