// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { expect, test } from 'vitest';
import { serverWithNodes } from '../testing/server-with-nodes.ts';
import { otherOwnerPodsOf } from './other-owner-pods.ts';

const { client, refused, signal } = serverWithNodes();

const pod = (nodeName: string, isEnding = true): Pod => ({
  metadata: { name: 'p', ...(isEnding && { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
  spec: { containers: [], nodeName },
});

test.each<readonly [string, Pod, boolean]>([
  ['on a node that is there', pod('alive'), false],
  ['on a node that is declared out of service', pod('declared-off'), true],
  ['on a node that is gone', pod('gone'), true],
  ['on a node that is gone, and that nobody has told to end', pod('gone', false), false],
  ['on no node yet', pod(''), false],
])('a pod of a deleted cluster %s', async (_what, otherOwnerPod, isOnLostNode) => {
  expect(await otherOwnerPodsOf([otherOwnerPod], { client, signal })).toMatchObject([{ name: 'p', isOnLostNode }]);
});

test('without the right to read nodes none counts as lost', async () => {
  const found = await otherOwnerPodsOf([pod('gone')], { client: refused, signal });
  expect(found).toMatchObject([{ isOnLostNode: false }]);
});
