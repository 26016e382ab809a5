// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { parseFlags } from './command-line.ts';

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
    [[], '', 'false'],
  ])('%j is read as Go programs read it', (args, kubeconfig, alsologtostderr) => {
    expect(parseFlags(flags, args)).toEqual({ kubeconfig, alsologtostderr });
  });

  test.each([
    [['-unknown'], 'unknown argument: -unknown'],
    [['stray'], 'unknown argument: stray'],
    [['---kubeconfig=x'], 'unknown argument: ---kubeconfig=x'],
    [['-kubeconfig'], '-kubeconfig needs a value'],
    [['-alsologtostderr=maybe'], '-alsologtostderr is true or false, not maybe'],
  ])('%j is refused, with the flags there are', (args, message) => {
    expect(() => parseFlags(flags, args)).toThrow(`${message}\nFlags:\n  -kubeconfig\n        a file`);
  });
});
