// SPDX-License-Identifier: Apache-2.0
import type { Service } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import type { EtcdClusterSpec } from '../../api/etcd-cluster.ts';
import { clientService } from '../objects/services.ts';
import { serviceState } from './service-facts.ts';

const cluster = { name: 'example', namespace: 'default', uid: 'u' };

/** A Service as the API server stores it: with defaults, without empty fields. */
function stored(asked: EtcdClusterSpec['service'], filledIn: object = {}): Service {
  const made = clientService(cluster, asked);
  const { loadBalancerSourceRanges: ranges = [], publishNotReadyAddresses: _, ...spec } = made.spec ?? {};
  return {
    ...made,
    spec: {
      clusterIP: '10.0.0.1',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ...spec,
      ...(ranges.length > 0 && { loadBalancerSourceRanges: ranges }),
      ...filledIn,
    },
  };
}

const state = (found: Service, asked: EtcdClusterSpec['service']) =>
  serviceState(found, clientService(cluster, asked), 'u');

describe('the client Service', () => {
  test.each<[EtcdClusterSpec['service']]>([
    [undefined],
    [{ type: 'NodePort' }],
    [{ type: 'LoadBalancer' }],
    [{ type: 'LoadBalancer', loadBalancerClass: 'a/b', loadBalancerSourceRanges: ['10.0.0.0/8'] }],
    [{ ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6', 'IPv4'] }],
  ])('of %j is current as the API server stores it', (asked) => {
    expect(state(stored(asked, { sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' }), asked)).toBe('current');
  });

  test.each<[string, EtcdClusterSpec['service'], EtcdClusterSpec['service']]>([
    ['opened', {}, { type: 'LoadBalancer' }],
    ['closed again', { type: 'LoadBalancer' }, {}],
    ['narrowed', { type: 'LoadBalancer' }, { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'] }],
    ['widened', { type: 'LoadBalancer', loadBalancerSourceRanges: ['10.0.0.0/8'] }, { type: 'LoadBalancer' }],
    ['of both IP families', {}, { ipFamilyPolicy: 'PreferDualStack' }],
  ])('that is to be %s is restored', (_, before, after) => {
    expect(state(stored(before), after)).toBe('drifted');
  });
});
