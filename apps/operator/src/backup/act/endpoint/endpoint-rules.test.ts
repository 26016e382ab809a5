// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { parseGrant } from './endpoint-grant.ts';
import { type EndpointCall, type EndpointRules, judgeEndpoint } from './endpoint-rules.ts';

const own = '10.244.1.7';
const other = '10.244.2.9';
const home = new Set([own]);

function judge(
  addresses: readonly string[],
  { allow = '', isShared = true, ...call }: Partial<EndpointCall> & { allow?: string; isShared?: boolean } = {},
) {
  const granted = allow.split(',').flatMap((entry) => parseGrant(entry) ?? []);
  const rules: EndpointRules = { isShared, granted, refused: ['kubernetes.default.svc', '10.96.0.1'] };
  const asked: EndpointCall = { namespace: 'team-a', host: 'x.test', port: 2379, plainLogin: 'none', ...call };
  return judgeEndpoint(asked, addresses, home, rules);
}

const notAllowed = { reason: 'EndpointNotAllowed' };
const plain = { reason: 'PlaintextLogin' };

describe('an operator of several namespaces', () => {
  test('connects to pods and Services of the namespace of the object', () => {
    expect(judge([own])).toEqual({ addresses: [own] });
  });

  test('connects to nothing else, and says what to do', () => {
    const refusal = judge([other], { host: 'kept-client.team-b.svc' });
    expect(refusal).toMatchObject(notAllowed);
    expect(refusal).toMatchObject({ message: expect.stringContaining('-allow-etcd-endpoints=kept-client.team-b.svc') });
    expect(refusal).toMatchObject({ message: expect.stringContaining('spec.clusterRef') });
  });

  test('uses, of several addresses, those of the namespace alone', () => {
    expect(judge([other, own])).toEqual({ addresses: [own] });
  });

  test.each([
    ['x.test', true],
    ['*.test', true],
    ['x.test:2379', true],
    ['x.test:2380', false],
    ['y.test', false],
    ['10.244.2.0/24', true],
    ['10.244.2.9', true],
    ['10.244.3.0/24', false],
    ['10.*', false],
    ['*', true],
  ])('with -allow-etcd-endpoints=%s connects to x.test at 10.244.2.9: %s', (allow, isAllowed) => {
    expect('addresses' in judge([other], { allow })).toBe(isAllowed);
  });
});

test.each([
  ['fd00::7', true],
  ['[fd00::7]', true],
  ['[fd00::7]:2379', true],
  ['[fd00:0::7]:2379', true],
  ['[fd00::7]:2380', false],
  ['[fd00::8]:2379', false],
  ['[*]:2379', false],
  ['fd00::/64', true],
])('-allow-etcd-endpoints=%s: an endpoint at fd00::7 is connected to: %s', (allow, isAllowed) => {
  expect('addresses' in judge(['fd00::7'], { allow, host: 'fd00::7' })).toBe(isAllowed);
});

describe('an operator that manages only the namespace it runs in', () => {
  test('connects to anything, as CoreOS etcd-operator did', () => {
    expect(judge([other], { isShared: false })).toEqual({ addresses: [other] });
  });

  test('connects to its namespace and what is listed, once something is listed', () => {
    expect(judge([other], { isShared: false, allow: 'y.test' })).toMatchObject(notAllowed);
    expect(judge([other], { isShared: false, allow: 'x.test' })).toEqual({ addresses: [other] });
    expect(judge([own], { isShared: false, allow: 'y.test' })).toEqual({ addresses: [own] });
  });
});

describe('whatever is granted', () => {
  test.each([
    ['127.0.0.1', 'x.test'],
    ['::1', 'x.test'],
    ['169.254.169.254', 'x.test'],
    ['10.96.0.1', 'x.test'],
    ['::ffff:10.96.0.1', 'x.test'],
    ['10.0.0.1', 'kubernetes.default.svc'],
    ['10.0.0.1', 'Kubernetes.Default.svc.'],
  ])('%s of %s is refused', (address, host) => {
    expect(judge([own, address], { host, allow: 'http://*' })).toMatchObject(notAllowed);
    expect(judge([own, address], { host, isShared: false })).toMatchObject(notAllowed);
  });
});

describe('a password without TLS', () => {
  test('goes to the namespace of the object alone', () => {
    expect(judge([own], { plainLogin: 'labelled' })).toEqual({ addresses: [own] });
    expect(judge([other], { plainLogin: 'labelled', allow: 'x.test' })).toMatchObject(plain);
    expect(judge([other, own], { plainLogin: 'labelled', allow: '*' })).toEqual({ addresses: [own] });
  });

  test('goes elsewhere where an administrator says so', () => {
    expect(judge([other], { plainLogin: 'labelled', allow: 'http://x.test' })).toEqual({ addresses: [other] });
    expect(judge([other], { plainLogin: 'labelled', allow: 'http://10.244.2.0/24' })).toEqual({ addresses: [other] });
    expect(judge([other], { plainLogin: 'labelled', allow: 'x.test,http://y.test' })).toMatchObject(plain);
  });

  test('is not that of a Secret without the label, where the operator manages several namespaces', () => {
    expect(judge([own], { plainLogin: 'unlabelled' })).toMatchObject(plain);
    expect(judge([own], { plainLogin: 'unlabelled', isShared: false })).toEqual({ addresses: [own] });
  });

  test('leaves the namespace of its operator neither', () => {
    expect(judge([other], { plainLogin: 'unlabelled', isShared: false })).toMatchObject(plain);
    expect(judge([other], { plainLogin: 'unlabelled', isShared: false, allow: 'http://x.test' })).toEqual({
      addresses: [other],
    });
  });
});
