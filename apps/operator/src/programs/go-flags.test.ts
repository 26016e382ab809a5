// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { describeFlags, FlagError, parseGoFlags } from './go-flags.ts';

const definitions = {
  'listen-addr': { kind: 'string', default: '0.0.0.0:8080', help: 'where to listen' },
  'chaos-level': { kind: 'integer', default: -1, help: 'how much chaos' },
  'cluster-wide': { kind: 'boolean', default: false, help: 'all namespaces' },
  'create-crd': { kind: 'boolean', default: true, help: 'create the CRD' },
} as const;

describe('command lines in the style of Go', () => {
  test('without flags the defaults apply', () => {
    expect(parseGoFlags(definitions, [])).toEqual({
      'listen-addr': '0.0.0.0:8080',
      'chaos-level': -1,
      'cluster-wide': false,
      'create-crd': true,
    });
  });

  test.each([
    [['-cluster-wide'], 'cluster-wide', true],
    [['--cluster-wide'], 'cluster-wide', true],
    [['--create-crd=false'], 'create-crd', false],
    [['-create-crd=F'], 'create-crd', false],
    [['-listen-addr=:9090'], 'listen-addr', ':9090'],
    [['--listen-addr', ':9090'], 'listen-addr', ':9090'],
    [['-chaos-level', '2'], 'chaos-level', 2],
    [['-chaos-level=-1'], 'chaos-level', -1],
    [['-listen-addr=a=b'], 'listen-addr', 'a=b'],
  ] as const)('[18] %j sets %s to %j', (args, name, value) => {
    expect(parseGoFlags(definitions, args)[name]).toBe(value);
  });

  test.each([
    [['-unknown'], 'flag provided but not defined: -unknown'],
    [['-listen-addr'], 'flag needs an argument: -listen-addr'],
    [['-create-crd=maybe'], 'invalid boolean value "maybe" for -create-crd: use true or false'],
    [['-chaos-level=x'], 'invalid value "x" for flag -chaos-level: not a whole number'],
    [['stray'], 'unexpected argument "stray": this program takes flags only'],
    [['-toString'], 'flag provided but not defined: -toString'],
  ])('%j is refused in words', (args, message) => {
    expect(() => parseGoFlags(definitions, args)).toThrow(new FlagError(message));
  });

  test('a boolean takes no separate value', () => {
    expect(() => parseGoFlags(definitions, ['-cluster-wide', 'true'])).toThrow('unexpected argument "true"');
  });

  test('the help names every flag with its default', () => {
    expect(describeFlags('etcd-operator', definitions)).toContain(
      '-listen-addr\n    \twhere to listen (default "0.0.0.0:8080")',
    );
  });
});
