// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import { hostsFile, podHostname, resolvConf } from './pod-files.ts';

const nameserver = '10.96.0.10';

const pod = (spec: Partial<NonNullable<Pod['spec']>> = {}): Pod => ({
  metadata: { name: 'web-0', namespace: 'ns' },
  spec: { containers: [], ...spec },
});

describe('resolv.conf', () => {
  test('leads to the DNS of the cluster, with the search list of the namespace', () => {
    expect(resolvConf(pod(), nameserver)).toBe(
      'search ns.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n',
    );
  });

  test('takes what the pod adds, or that alone', () => {
    const dnsConfig = {
      nameservers: ['1.2.3.4'],
      searches: ['x.y'],
      options: [{ name: 'ndots', value: '2' }, { name: 'edns0' }],
    };
    expect(resolvConf(pod({ dnsConfig }), nameserver)).toContain('options ndots:2 edns0\n');
    expect(resolvConf(pod({ dnsPolicy: 'None', dnsConfig }), nameserver)).toBe(
      'search x.y\nnameserver 1.2.3.4\noptions ndots:2 edns0\n',
    );
    expect(resolvConf(pod({ hostNetwork: true }), nameserver)).toBe('nameserver 10.96.0.10\n');
  });
});

describe('the hosts file', () => {
  test('knows the pod by its name, in full if it has a subdomain', () => {
    expect(hostsFile(pod(), ['10.244.1.2'])).toContain('10.244.1.2\tweb-0\n');
    const named = hostsFile(pod({ hostname: 'h', subdomain: 'svc' }), ['10.244.1.2']);
    expect(named).toContain('10.244.1.2\th.svc.ns.svc.cluster.local\th\n');
  });

  test('has the aliases of the spec', () => {
    expect(hostsFile(pod({ hostAliases: [{ ip: '1.1.1.1', hostnames: ['a', 'b'] }] }), ['x'])).toContain(
      '1.1.1.1\ta\tb\n',
    );
  });
});

test('a hostname is the one of the spec, else the name, cut to 63 letters', () => {
  expect(podHostname(pod({ hostname: 'h' }))).toBe('h');
  expect(podHostname({ metadata: { name: `${'a'.repeat(62)}-b` }, spec: { containers: [] } })).toBe('a'.repeat(62));
  expect(podHostname(pod({ hostname: 'h', subdomain: 's', setHostnameAsFQDN: true }))).toBe('h.s.ns.svc.cluster.local');
});
