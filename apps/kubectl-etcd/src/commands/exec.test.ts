// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { clusterOf } from '../testing/simulated-cluster.ts';
import { withConnection } from './exec.ts';

const plain = clusterOf({ size: 2 });
const secure = clusterOf({ size: 2, TLS: { static: { member: { serverSecret: 's' }, operatorSecret: 'o' } } });

describe('etcdctl', () => {
  test('gets the endpoints of all members', () => {
    expect(withConnection(['etcdctl', 'get', 'x'], plain, ['a', 'b'])).toEqual([
      'etcdctl',
      '--endpoints=http://a.example.default.svc:2379,http://b.example.default.svc:2379',
      'get',
      'x',
    ]);
  });

  test('gets the certificates that are in the pod', () => {
    expect(withConnection(['etcdctl', 'member', 'list'], secure, ['a'])).toEqual([
      'etcdctl',
      '--endpoints=https://a.example.default.svc:2379',
      '--cacert=/etc/etcdtls/member/server-tls/server-ca.crt',
      '--cert=/etc/etcdtls/member/server-tls/server.crt',
      '--key=/etc/etcdtls/member/server-tls/server.key',
      'member',
      'list',
    ]);
  });

  test('is left what was typed', () => {
    const typed = ['etcdctl', '--endpoints', 'http://x', 'get', 'x'];
    expect(withConnection(typed, plain, ['a'])).toEqual(typed);
    expect(withConnection(['etcdutl', 'version'], secure, ['a'])).toEqual(['etcdutl', 'version']);
  });
});
