// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { layoutOf } from './layout.ts';

test('everything of a cluster is below one folder', () => {
  const { name, cgroup, directory, ...paths } = layoutOf('dev', '/home/me/.cache/etcd-operator');
  expect({ name, cgroup, directory }).toEqual({
    name: 'dev',
    cgroup: '/etcd-operator-dev',
    directory: '/home/me/.cache/etcd-operator/clusters/dev',
  });
  for (const path of Object.values(paths)) expect(path.startsWith(`${directory}/`)).toBe(true);
});

test.each(['', '..', 'a/b', 'Dev', '-x', 'x'.repeat(40)])('"%s" is no name', (name) => {
  expect(() => layoutOf(name, '/home/me/.cache')).toThrow('is no name for a cluster');
});

test.each(['/var/lib/jenkins/.cache', '/run/user/0', '/var/lib'])(
  'a cache in %s would be hidden from the cluster',
  (cache) => {
    expect(() => layoutOf('dev', cache)).toThrow('set ETCD_OPERATOR_CACHE to another folder');
  },
);
