// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLocalAddress } from './address-rules.ts';

describe('addresses', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'ff02::1',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:a9fe:a9fe',
    '::ffff:169.254.169.254',
    '::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::127.0.0.1',
    '64:ff9b:1::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
    '::ffff:0:169.254.169.254',
    '',
    'example.com',
    '127.1',
  ])('%s is refused', (address) => {
    expect(isLocalAddress(address)).toBe(true);
  });

  test.each([
    '10.0.0.1',
    '10.96.0.10',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '52.216.0.1',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.255.255',
    '169.255.0.0',
    '223.255.255.255',
    'fd12:3456::1',
    '2600:1f00::1',
    'fec0::1',
    '::ffff:10.0.0.1',
    '64:ff9b::808:808',
  ])('%s may be a store', (address) => {
    expect(isLocalAddress(address)).toBe(false);
  });

  test('an IPv4 address is judged the same inside an IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isLocalAddress(`::ffff:${address}`)).toBe(isLocalAddress(address));
        expect(isLocalAddress(`64:ff9b::${address}`)).toBe(isLocalAddress(address));
      }),
    );
  });
});
