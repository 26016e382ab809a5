// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { escapeMountPath, lockedFlags } from './mount-flags.ts';

const mountInfo = `
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 22 0:25 / /tmp rw,nosuid,nodev - tmpfs tmpfs rw
31 30 0:26 / /tmp/a\\040b rw,noexec - tmpfs tmpfs rw
32 22 0:27 / /home rw,nosuid - tmpfs tmpfs rw
33 22 0:28 / /home rw,nodev - tmpfs tmpfs rw
`;

test.each([
  ['/usr/bin', []],
  ['/tmp', ['nosuid', 'nodev']],
  ['/tmp/x', ['nosuid', 'nodev']],
  ['/tmpx', []],
  ['/tmp/a b/c', ['noexec']],
  ['/home/me', ['nodev']],
])('a bind of %s must repeat %o', (path, flags) => {
  expect(lockedFlags(mountInfo, path)).toEqual(flags);
});

test('paths in a table have no white space', () => {
  expect(escapeMountPath('/a b\t#c\\d')).toBe('/a\\040b\\011\\043c\\134d');
});
