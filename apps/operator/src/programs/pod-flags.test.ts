// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { podGrants } from './pod-flags.ts';

const unset = {
  'allow-privileged-pods': '',
  'allow-repositories': '',
  'allow-sidecars': '',
  'allow-service-accounts': '',
};

test('unset, no pod may be privileged or have anything of its own, and images may come from anywhere', () => {
  expect(podGrants(unset)).toEqual({ privileged: [], repositories: [], sidecars: [], serviceAccounts: [] });
});

test.each([
  ['team-a', ['team-a']],
  [' team-a , team-b,', ['team-a', 'team-b']],
  ['*', 'all'],
])('-allow-privileged-pods=%s grants it to %j', (flag, privileged) => {
  expect(podGrants({ ...unset, 'allow-privileged-pods': flag })).toMatchObject({ privileged });
});

test('-allow-repositories lists repositories by commas', () => {
  const repositories = ['quay.io/coreos', 'busybox'];
  expect(podGrants({ ...unset, 'allow-repositories': 'quay.io/coreos, busybox' })).toMatchObject({ repositories });
});

test('-allow-sidecars names namespaces, -allow-service-accounts accounts with their namespaces, and * is all', () => {
  const flags = { 'allow-sidecars': 'a, b', 'allow-service-accounts': 'a/x,b/y' };
  const granted = { sidecars: ['a', 'b'], serviceAccounts: ['a/x', 'b/y'] };
  expect(podGrants({ ...unset, ...flags })).toMatchObject(granted);
  const all = podGrants({ ...unset, 'allow-sidecars': '*', 'allow-service-accounts': '*' });
  expect(all).toMatchObject({ sidecars: 'all', serviceAccounts: 'all' });
});
