// SPDX-License-Identifier: Apache-2.0
import type { Node, Pod } from '@operator-parts/kube';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseNode } from './choose-node.ts';
import type { Snapshot } from './snapshot.ts';
import { covers } from './taints.ts';

function node(name: string, change: { labels?: Record<string, string>; spec?: Node['spec'] } = {}): Node {
  return {
    metadata: { name, labels: { 'kubernetes.io/hostname': name, zone: name.slice(0, 1), ...change.labels } },
    spec: change.spec ?? {},
    status: { allocatable: { cpu: '2', memory: '4Gi', pods: '10' } },
  };
}

function pod(spec: Partial<NonNullable<Pod['spec']>> = {}, labels: Record<string, string> = { app: 'x' }): Pod {
  return { metadata: { name: 'p', namespace: 'default', labels }, spec: { containers: [{ name: 'c' }], ...spec } };
}

const on = (nodeName: string, labels?: Record<string, string>, spec: Partial<NonNullable<Pod['spec']>> = {}) =>
  pod({ nodeName, ...spec }, labels);
const world = (nodes: readonly Node[], placed: readonly Pod[] = []): Snapshot => ({ nodes, placed, namespaces: [] });
const choose = (subject: Pod, snapshot: Snapshot) => {
  const placement = chooseNode(subject, snapshot);
  return placement.kind === 'node' ? placement.node : placement.message.split('.')[0];
};

const hostname = 'kubernetes.io/hostname';
const same = { labelSelector: { matchLabels: { app: 'x' } }, topologyKey: hostname };
const three = [node('a1'), node('a2'), node('b1')];

describe('a pod', () => {
  test('goes to the emptiest node', () => {
    expect(choose(pod(), world(three, [on('a1'), on('b1')]))).toBe('a2');
  });

  test('stays away from cordoned and tainted nodes unless it tolerates them', () => {
    const cordoned = node('a1', { spec: { unschedulable: true } });
    const tainted = node('a2', { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } });
    expect(choose(pod(), world([cordoned, tainted]))).toBe(
      '0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable',
    );
    const tolerations = [{ key: 'k', operator: 'Equal' as const, value: 'v', effect: 'NoSchedule' as const }];
    expect(choose(pod({ tolerations }), world([cordoned, tainted]))).toBe('a2');
  });

  test('goes where its selector and its affinity say', () => {
    expect(choose(pod({ nodeSelector: { zone: 'b' } }), world(three))).toBe('b1');
    const term = (operator: 'In' | 'NotIn') => ({
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator, values: ['a'] }] }],
    });
    const required = pod({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: term('NotIn') } },
    });
    expect(choose(required, world(three))).toBe('b1');
    const preference = { matchExpressions: [{ key: hostname, operator: 'In' as const, values: ['a2'] }] };
    const preferred = [{ weight: 5, preference }];
    const wish = pod({ affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } });
    expect(choose(wish, world(three, [on('a2')]))).toBe('a2');
    expect(choose(pod({ nodeSelector: { zone: 'c' } }), world(three))).toBe(
      "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector",
    );
  });

  test('keeps away from its like, and they from it', () => {
    const away = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [same] } } };
    expect(choose(pod(away), world(three, [on('a1'), on('a2')]))).toBe('b1');
    expect(choose(pod(away), world(three, [on('a1'), on('a2'), on('b1')]))).toContain(
      "3 node(s) didn't match pod anti-affinity rules",
    );
    expect(choose(pod(), world([node('a1')], [on('a1', { app: 'y' }, away)]))).toContain(
      "didn't satisfy existing pods anti-affinity rules",
    );
    const byZone = {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...same, topologyKey: 'zone' }] },
    };
    expect(choose(pod({ affinity: byZone }), world(three, [on('a1')]))).toBe('b1');
  });

  test('seeks company, and may be the first of its kind', () => {
    const near = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [same] } } };
    expect(choose(pod(near), world(three, [on('b1')]))).toBe('b1');
    expect(choose(pod(near), world(three))).toBe('a1');
    expect(choose(pod(near, { app: 'y' }), world(three))).toContain("didn't match pod affinity rules");
  });

  test('is spread evenly over domains', () => {
    const spread = (whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway') => ({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable, labelSelector: same.labelSelector },
      ],
    });
    expect(choose(pod(spread('DoNotSchedule')), world(three, [on('a1')]))).toBe('b1');
    const full = node('b1', { spec: { unschedulable: true } });
    expect(choose(pod(spread('DoNotSchedule')), world([node('a1'), full], [on('a1')]))).toContain(
      'topology spread constraints',
    );
    expect(choose(pod(spread('ScheduleAnyway')), world([node('a1'), full], [on('a1')]))).toBe('a1');
  });

  test('needs room for what it asks', () => {
    const big = { containers: [{ name: 'c', resources: { requests: { cpu: '1500m' } } }] };
    expect(choose(pod(big), world([node('a1'), node('a2')], [on('a1', {}, big)]))).toBe('a2');
    expect(choose(pod(big), world([node('a1')], [on('a1', {}, big)]))).toBe(
      '0/1 nodes are available: 1 Insufficient cpu',
    );
    expect(
      choose(
        pod(),
        world(
          [node('a1')],
          Array.from({ length: 10 }, () => on('a1')),
        ),
      ),
    ).toBe('0/1 nodes are available: 1 Too many pods');
  });

  test('goes nowhere without nodes', () => {
    expect(choose(pod(), world([]))).toBe('no nodes available to schedule pods');
  });
});

test.each([
  [{ operator: 'Exists' as const }, true],
  [{ key: 'k', operator: 'Exists' as const }, true],
  [{ key: 'k', value: 'v' }, true],
  [{ key: 'k', value: 'w' }, false],
  [{ key: 'k', value: 'v', effect: 'NoExecute' as const }, false],
  [{ key: 'other', operator: 'Exists' as const }, false],
])('toleration %o covers the taint k=v:NoSchedule: %s', (toleration, expected) => {
  expect(covers(toleration, { key: 'k', value: 'v', effect: 'NoSchedule' })).toBe(expected);
});

test('with required anti-affinity no two of a kind ever share a node', () => {
  const away = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [same] } } };
  fc.assert(
    fc.property(fc.nat(6), fc.nat(8), (nodeCount, podCount) => {
      const nodes = Array.from({ length: nodeCount }, (_, index) => node(`n${index}`));
      const placed: Pod[] = [];
      for (let index = 0; index < podCount; index++) {
        const placement = chooseNode(pod(away), world(nodes, placed));
        if (placement.kind === 'node') placed.push(on(placement.node, undefined, away));
      }
      expect(placed).toHaveLength(Math.min(nodeCount, podCount));
      expect(new Set(placed.map(({ spec }) => spec?.nodeName)).size).toBe(placed.length);
    }),
  );
});
