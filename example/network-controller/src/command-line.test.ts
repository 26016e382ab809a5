// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { numberOf, parseFlags, usage } from './command-line.ts';

const flags = {
  kubeconfig: { help: 'a file', default: '' },
  alsologtostderr: { help: 'the log', default: 'false', isBoolean: true },
} as const;

describe('a command line', () => {
  test.each([
    [['-kubeconfig=/a/b', '-alsologtostderr=true'], '/a/b', 'true'],
    [['--kubeconfig', '/a/b', '--alsologtostderr'], '/a/b', 'true'],
    [['-alsologtostderr', '-kubeconfig=a=b'], 'a=b', 'true'],
    [['-alsologtostderr=false'], '', 'false'],
    [['-alsologtostderr=1'], '', 'true'],
    [['--alsologtostderr=True'], '', 'true'],
    [['-alsologtostderr=F'], '', 'false'],
    [[], '', 'false'],
  ])('%j is read as Go programs read it', (args, kubeconfig, alsologtostderr) => {
    expect(parseFlags(flags, args)).toEqual({ kubeconfig, alsologtostderr });
  });

  test.each([
    [['-unknown'], 'unknown argument: -unknown'],
    [['stray'], 'unknown argument: stray'],
    [['---kubeconfig=x'], 'unknown argument: ---kubeconfig=x'],
    [['-kubeconfig'], '-kubeconfig needs a value'],
    [['-alsologtostderr='], '-alsologtostderr is true or false, not '],
    [['-alsologtostderr=maybe'], '-alsologtostderr is true or false, not maybe'],
  ])('%j is refused, with the flags there are', (args, message) => {
    expect(() => parseFlags(flags, args)).toThrow(`${message}\nFlags:\n  -kubeconfig\n        a file`);
  });

  test.each([['-h'], ['--help'], ['-help']])('%s asks for the help', (flag) => {
    expect(parseFlags(flags, [flag])).toBe('help');
    expect(usage(flags)).toBe('Flags:\n  -kubeconfig\n        a file\n  -alsologtostderr\n        the log');
  });
});

describe('a flag that is a number', () => {
  const resync = { resync: { help: 'seconds', default: '30' } } as const;
  const read = (value: string) => numberOf(resync, { resync: value }, 'resync', [1, 3600]);

  test('is a whole one within its limits', () => {
    expect([read('1'), read('30'), read('3600')]).toEqual([1, 30, 3600]);
  });

  test.each(['0', '3601', '-1', '1.5', '1e2', 'soon', '', '30s'])('is not %j', (value) => {
    const message = `-resync is a whole number from 1 to 3600, not ${value}\nFlags:\n  -resync\n        seconds`;
    expect(() => read(value)).toThrow(message);
  });
});
