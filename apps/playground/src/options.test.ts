// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { labCommands, labHelp } from './control/lab-help.ts';
import { parseRequest } from './control/request.ts';
import { objectsIn } from './lab/apply-objects.ts';
import { EtcdVersions } from './lab/etcd-versions.ts';
import { hasScreen, parseOptions } from './options.ts';

test('what npm start takes', () => {
  expect(parseOptions(['--once', '--size', '5', '--version', 'v3.7', '--port', '6443'])).toEqual({
    once: true,
    size: 5,
    version: '3.7',
    file: undefined,
    port: 6443,
    keep: undefined,
    empty: false,
    plain: false,
  });
  expect(parseOptions(['--help'])).toBeUndefined();
});

test.each([
  [['--size', '8'], '1 to 7 members'],
  [['--size', 'x'], '1 to 7 members'],
  [['--port', '70000'], 'up to 65535'],
  [['--version', '4'], 'use a version such as 3.6'],
  [['--version', 'newest'], 'use a version such as 3.6'],
  [['--keep', 'a', '--file', 'b'], 'cannot be used together'],
  [['--empty', '--once'], 'with --empty there is no cluster'],
  [['--empty', '--keep', 'a'], 'cannot be used together'],
  [['--sise', '3'], "Unknown option '--sise'"],
])('%j is refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

test('a valid version that does not exist is reported as such', async () => {
  expect(parseOptions(['--version', '9.9'])?.version).toBe('9.9');
  await expect(EtcdVersions.start('9.9', {})).rejects.toThrow(
    'the playground has no etcd 9.9; it knows 3.4, 3.5, 3.6, 3.7',
  );
});

test.each([
  [{ TERM: 'xterm' }, true],
  [{ TERM: 'dumb' }, false],
  [{}, false],
])('a terminal with %j has the live screen: %j', (env, expected) => {
  const asked = { once: false, plain: false };
  expect(hasScreen(asked, env)).toBe(expected);
  expect(hasScreen({ ...asked, plain: true }, env)).toBe(false);
});

test('what a second terminal may ask for', () => {
  expect(parseRequest(['kill', 'a'])).toEqual({ do: 'kill', member: 'a' });
  expect(parseRequest(['heal'])).toEqual({ do: 'heal', node: undefined });
  expect(parseRequest(['resize', '5'])).toEqual({ do: 'resize', size: 5 });
  expect(parseRequest(['upgrade', '3.7'])).toEqual({ do: 'upgrade', version: '3.7' });
  expect(() => parseRequest(['kill'])).toThrow('kill takes a member');
  expect(() => parseRequest(['reboot', 'now'])).toThrow('reboot takes no argument: now');
});

const examplesOf = (verb: string) =>
  [...labHelp(verb).matchAll(/^ {2}npm run lab -- (.*)$/gm)].map(([, words = '']) => words.split(' '));

test.each(labCommands)('help on %s has examples', (verb) => {
  expect(labHelp(undefined)).toContain(`\n  ${verb}`);
  expect(labHelp('constructor')).toBe(labHelp(undefined));
  expect(examplesOf(verb).length).toBeGreaterThan(0);
  for (const [first] of examplesOf(verb)) expect(first).toBe(verb);
});

// The two others are not requests: they run locally.
test.each(labCommands.filter((verb) => verb !== 'shell' && verb !== 'apply'))('those of %s are understood', (verb) => {
  for (const words of examplesOf(verb)) expect(parseRequest(words)).toMatchObject({ do: verb });
});

test('objects of a file are found, and invalid ones are refused', () => {
  expect(objectsIn('apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\n').map(({ kind }) => kind)).toEqual(['Pod']);
  expect(() => objectsIn('kind: Pod')).toThrow('every object needs apiVersion, kind and metadata.name');
  expect(() => objectsIn('a: [')).toThrow('the file is not valid YAML');
});
