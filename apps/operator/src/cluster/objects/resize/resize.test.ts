// SPDX-License-Identifier: Apache-2.0
import type { ResourceRequirements } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { canResize, qosClassOf } from './resize.ts';

const small: ResourceRequirements = { requests: { cpu: '100m', memory: '64Mi' } };

describe('the quality of service of a pod', () => {
  test.each<[string, ResourceRequirements]>([
    ['BestEffort', {}],
    ['BestEffort', { requests: { 'ephemeral-storage': '1Gi' } }],
    ['Burstable', small],
    ['Burstable', { limits: { memory: '1Gi' } }],
    ['Burstable', { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }],
    ['Guaranteed', { limits: { cpu: '1', memory: '1Gi' } }],
    ['Guaranteed', { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } }],
  ])('%s: %j', (expected, resources) => {
    expect(qosClassOf(resources)).toBe(expected);
  });
});

describe('operator rule 7: resources through pods/resize', () => {
  test.each<[string, ResourceRequirements, ResourceRequirements, boolean]>([
    ['more CPU and memory', small, { requests: { cpu: '200m', memory: '128Mi' } }, true],
    ['less', small, { requests: { cpu: '50m', memory: '32Mi' } }, true],
    ['a limit that keeps the class', small, { ...small, limits: { memory: '1Gi' } }, true],
    ['requests for a pod without any: the class would change', {}, small, false],
    ['limits that make it guaranteed: the class would change', small, { limits: { cpu: '1', memory: '1Gi' } }, false],
    ['a request taken away', small, { requests: { cpu: '100m' } }, false],
    ['another kind of resource', small, { requests: { ...small.requests, 'ephemeral-storage': '1Gi' } }, false],
    ['nothing at all', small, small, true],
  ])('%s', (_what, from, to, expected) => {
    expect(canResize(from, to)).toBe(expected);
  });
});
