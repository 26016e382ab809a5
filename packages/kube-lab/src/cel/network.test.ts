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
  ["isCIDR('10.0.0.0/08')", false],
  ["isCIDR('::ffff:10.0.0.0/104')", false],
  ["isCIDR('fe80::1%eth0/64')", false],
  ["isIP('fe80::1%eth0')", false],
  ["isIP('::ffff:1.2.3.4')", false],
  ["isIP('0:0:0:0:0:FFFF:102:304')", false],
  ["isIP('::ffff:0:1.2.3.4')", true],
  ["isIP('64:ff9b::1.2.3.4')", true],
  ["isIP('010.0.0.1')", false],
  ["isIP('1.2.3')", false],
  ["isIP('FD00:0::0001')", true],
  ["string(ip('FD00:0::0001'))", 'fd00::1'],
  ["ip('127.0.0.9').isLoopback() && !ip('127.0.0.9').isGlobalUnicast()", true],
  ["ip('10.1.2.3').isGlobalUnicast() && ip('fd00::1').isGlobalUnicast()", true],
  ["ip('::').isUnspecified() && ip('0.0.0.0').isUnspecified()", true],
  ["ip('fe80::1').isLinkLocalUnicast() && ip('ff02::1').isLinkLocalMulticast()", true],
  ["ip('FD00:0::0001') == ip('fd00::1') && ip('::1') != ip('::2')", true],
  ["cidr('192.168.7.9/20').ip() == ip('192.168.7.9')", true],
  ["string(cidr('192.168.7.9/20').masked())", '192.168.0.0/20'],
  ["string(cidr('fd00:1234::1/20').masked())", 'fd00:1000::/20'],
])('%s is %s', (expression, value) => {
  expect(evaluate(expression)).toBe(value);
});

test.each([
  ["cidr('192.168.0.0')", 'network address parse error'],
  ["cidr('192.168.0.0/24').containsIP('no')", 'parse error'],
])('%s is an error', (expression, message) => {
  expect(() => evaluate(expression)).toThrow(message);
});
