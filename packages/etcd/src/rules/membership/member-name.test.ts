// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { initialCluster, memberAddress, memberNameFromPeerUrl } from './member-name.ts';

describe('C-13: member name from peer URL', () => {
  test.each([
    ['http://test-cluster:2379', 'test-cluster'],
    ['https://test-cluster:2379', 'test-cluster'],
    ['http://test-cluster', 'test-cluster'],
    ['https://example-abcdefghjk.example.default.svc:2380', 'example-abcdefghjk'],
    ['https://example-0001.example.default.svc.cluster.local:2380/', 'example-0001'],
  ])('%s gives %s', (url, name) => {
    expect(memberNameFromPeerUrl(url)).toEqual({ ok: true, name });
  });

  test.each([
    'test-cluster',
    'test-cluster:2379',
    '',
    'http://',
    'http://a:a',
    'http://.a:2380',
    'http://a b:1',
    'ftp://a:1',
  ])('%j is refused', (url) => {
    expect(memberNameFromPeerUrl(url)).toMatchObject({ ok: false, reason: expect.stringContaining('not a peer URL') });
  });
});

describe('addresses', () => {
  const place = { member: 'example-bcdfghjklm', cluster: 'example', namespace: 'db', clusterDomain: '.cluster.local' };

  test('the host is the pod below the peer Service; each listener has its own scheme', () => {
    expect(memberAddress(place, { client: false, peer: true })).toEqual({
      host: 'example-bcdfghjklm.example.db.svc.cluster.local',
      clientUrl: 'http://example-bcdfghjklm.example.db.svc.cluster.local:2379',
      peerUrl: 'https://example-bcdfghjklm.example.db.svc.cluster.local:2380',
    });
  });

  test('the name comes back from the peer URL', () => {
    const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/);
    fc.assert(
      fc.property(label, label, fc.constantFrom('', '.cluster.local'), (member, cluster, clusterDomain) => {
        const { peerUrl } = memberAddress(
          { member, cluster, namespace: 'n', clusterDomain },
          { client: true, peer: true },
        );
        expect(memberNameFromPeerUrl(peerUrl)).toEqual({ ok: true, name: member });
      }),
    );
  });

  test('--initial-cluster lists members in the order given', () => {
    expect(
      initialCluster([
        { name: 'b', peerUrl: 'http://b:2380' },
        { name: 'a', peerUrl: 'http://a:2380' },
      ]),
    ).toBe('b=http://b:2380,a=http://a:2380');
  });
});
