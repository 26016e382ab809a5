// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { celEnvironment, celProgram } from './environment.ts';

const evaluate = (expression: string) => celProgram(celEnvironment([]), expression)({});

test.each([
  ["cidr('192.168.0.0/24').containsIP('192.168.0.1')", true],
  ["cidr('192.168.0.0/24').containsIP(ip('192.168.0.1'))", true],
  ["cidr('192.168.0.0/24').containsIP('192.168.1.1')", false],
  ["cidr('192.168.0.0/24').containsIP('fd00::1')", false],
  ["cidr('fd00::/8').containsIP('fd12::1')", true],
  ["cidr('192.168.0.0/16').containsCIDR('192.168.10.0/24')", true],
  ["cidr('192.168.0.0/24').containsCIDR(cidr('192.168.0.0/23'))", false],
  ["cidr('192.168.0.7/24').ip().family() == 4", true],
  ["cidr('192.168.0.0/24').prefixLength() == 24", true],
  ["isCIDR('192.168.0.0/33')", false],
])('%s is %s', (expression, value) => {
  expect(evaluate(expression)).toBe(value);
});

test.each([
  ["cidr('192.168.0.0')", 'network address parse error'],
  ["cidr('192.168.0.0/24').containsIP('no')", 'parse error'],
])('%s is an error', (expression, message) => {
  expect(() => evaluate(expression)).toThrow(message);
});
