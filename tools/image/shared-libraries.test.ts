// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { parseLdd } from './shared-libraries.ts';

test('libraries and the loader are those that have a path', () => {
  const output = `	linux-vdso.so.1 (0x00007f7dac3a7000)
	libdl.so.2 => /lib/x86_64-linux-gnu/libdl.so.2 (0x00007f7dac391000)
	/lib64/ld-linux-x86-64.so.2 (0x00007f7dac3a9000)
`;
  expect(parseLdd(output)).toEqual(['/lib/x86_64-linux-gnu/libdl.so.2', '/lib64/ld-linux-x86-64.so.2']);
});

test('one that is missing is named', () => {
  expect(() => parseLdd('	libstdc++.so.6 => not found\n')).toThrow('the library libstdc++.so.6 is missing');
});
