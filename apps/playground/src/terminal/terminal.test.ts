// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { decodeKeys } from './keys.ts';
import { ansiText, fitted, plainText, span } from './line.ts';
import { Screen } from './screen.ts';

describe('keys', () => {
  test('are letters, arrows by name and Ctrl-C', () => {
    expect(decodeKeys('k\u001b[A\u001b[B\u001bOAq\u0003')).toEqual(['k', 'up', 'down', 'up', 'q', 'ctrl-c']);
  });

  test('unknown keys are left out, also between others', () => {
    expect(decodeKeys('a\u001b[15~b\u001bc\r')).toEqual(['a', 'b', 'c']);
  });

  test('without shift mean the same', () => {
    expect(decodeKeys('=_+-')).toEqual(['+', '-', '+', '-']);
  });
});

describe('a line', () => {
  const line = [span('abc', 'good'), span('def')];

  test('is cut to the width with a mark', () => {
    expect(plainText(fitted(line, 6))).toBe('abcdef');
    expect(plainText(fitted(line, 5))).toBe('abcd…');
    expect(plainText(fitted(line, 1))).toBe('…');
    expect(plainText(fitted(line, 0))).toBe('');
  });

  test('has colour only where that is wanted', () => {
    expect(ansiText(line, true)).toBe('\u001b[32mabc\u001b[0mdef');
    expect(ansiText(line, false)).toBe('abcdef');
  });
});

describe('a screen', () => {
  const open = () => {
    const written: string[] = [];
    const screen = new Screen({ write: (text) => written.push(text), withColour: false });
    screen.open();
    written.length = 0;
    return { screen, written };
  };

  test('rewrites only lines that changed', () => {
    const { screen, written } = open();
    screen.draw([[span('one')], [span('two')]]);
    screen.draw([[span('one')], [span('2')]]);
    screen.draw([[span('one')], [span('2')]]);
    expect(written).toEqual(['\u001b[1;1Hone\u001b[K\u001b[2;1Htwo\u001b[K', '\u001b[2;1H2\u001b[K']);
  });

  test('clears what is no longer there, and everything after a resize', () => {
    const { screen, written } = open();
    screen.draw([[span('one')], [span('two')]]);
    screen.draw([[span('one')]]);
    expect(written.at(-1)).toBe('\u001b[2;1H\u001b[J');
    screen.invalidate();
    screen.draw([[span('one')]]);
    expect(written.slice(-2)).toEqual(['\u001b[2J', '\u001b[1;1Hone\u001b[K']);
  });

  test('gives the terminal back once, and draws nothing afterwards', () => {
    const { screen, written } = open();
    screen.close();
    screen.close();
    screen.draw([[span('late')]]);
    expect(written).toEqual(['\u001b[?25h\u001b[?1049l']);
  });
});
