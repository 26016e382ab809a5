// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { parseRequest } from './control/request.ts';
import { objectsIn } from './lab/apply-objects.ts';
import { parseOptions } from './options.ts';

test('what npm start takes', () => {
  expect(parseOptions(['--once', '--size', '5', '--version', 'v3.7', '--port', '6443'])).toEqual({
    once: true,
    size: 5,
    version: '3.7',
    file: undefined,
    port: 6443,
    keep: undefined,
    plain: false,
  });
  expect(parseOptions(['--help'])).toBeUndefined();
});

test.each([
  [['--size', '8'], '1 to 7 members'],
  [['--size', 'x'], '1 to 7 members'],
  [['--port', '70000'], 'up to 65535'],
  [['--version', '4'], 'write it like 3.6'],
  [['--keep', 'a', '--file', 'b'], 'do not go together'],
  [['--sise', '3'], "Unknown option '--sise'"],
])('%j is refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

test('what a second terminal may ask for', () => {
  expect(parseRequest(['kill', 'a'])).toEqual({ do: 'kill', member: 'a' });
  expect(parseRequest(['heal'])).toEqual({ do: 'heal', node: undefined });
  expect(parseRequest(['resize', '5'])).toEqual({ do: 'resize', size: 5 });
  expect(parseRequest(['upgrade', '3.7'])).toEqual({ do: 'upgrade', version: '3.7' });
  expect(() => parseRequest(['kill'])).toThrow('kill takes a member');
  expect(() => parseRequest(['reboot', 'now'])).toThrow('reboot takes no argument: now');
});

test('objects of a file are found, and what is none is refused', () => {
  expect(objectsIn('apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n').map(({ kind }) => kind)).toEqual(['Pod']);
  expect(() => objectsIn('kind: Pod')).toThrow('every object needs apiVersion, kind and metadata.name');
  expect(() => objectsIn('a: [')).toThrow('this is not YAML');
});
