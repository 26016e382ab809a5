// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { expect, test } from 'vitest';
import { imageCheckFacts } from './image-check-facts.ts';

type Phase = NonNullable<NonNullable<Pod['status']>['phase']>;

const stands = (phase: Phase, exitCode: number | undefined, output?: string) => {
  const state = exitCode === undefined ? {} : { terminated: { exitCode } };
  const container = { name: 'check', image: 'i', imageID: '', ready: false, restartCount: 0, state };
  const pod: Pod = { status: { phase, containerStatuses: [container] } };
  return imageCheckFacts(pod, output, () => 0).result;
};

test.each<[Phase, number | undefined, string | undefined, string]>([
  ['Pending', undefined, undefined, 'pending'],
  ['Running', undefined, undefined, 'pending'],
  // The kubelet reports the end of the container before the phase of the pod.
  ['Running', 0, undefined, 'pending'],
  ['Running', 1, undefined, 'failed'],
  ['Succeeded', 0, undefined, 'pending'],
  ['Succeeded', 0, 'etcd Version: 3.6.16', 'succeeded'],
  ['Failed', undefined, undefined, 'failed'],
])('an image check that is %s, with exit code %s and output %s, is %s', (phase, exitCode, output, result) => {
  expect(stands(phase, exitCode, output)).toBe(result);
});
