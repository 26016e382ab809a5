// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { help, readCommandLine } from './command-line.ts';

test('without flags it is what a Pod needs', () => {
  const inside = { kubeconfig: undefined, namespace: undefined, host: undefined, port: 9443, httpPort: 8080 };
  expect(readCommandLine([])).toEqual(inside);
});

test('flags say otherwise', () => {
  const args = ['--kubeconfig=/a', '--namespace', 'b', '--host=127.0.0.1', '--port=1', '--http-port=65535'];
  const read = { kubeconfig: '/a', namespace: 'b', host: '127.0.0.1', port: 1, httpPort: 65_535 };
  expect(readCommandLine(args)).toEqual(read);
});

test.each([['-h'], ['--help']])('%s asks for the help, which names all flags', (flag) => {
  expect(readCommandLine([flag])).toBe('help');
  for (const name of ['kubeconfig', 'namespace', 'host', 'port', 'http-port']) expect(help).toContain(`--${name}=`);
});

test.each([
  ['--port=https', '--port is a port from 1 to 65535, not https'],
  ['--port=', '--port is a port from 1 to 65535, not '],
  ['--http-port=65536', '--http-port is a port from 1 to 65535, not 65536'],
  ['--unknown', "Unknown option '--unknown'"],
])('%s is refused in words', (flag, message) => {
  expect(() => readCommandLine([flag])).toThrow(message);
});
