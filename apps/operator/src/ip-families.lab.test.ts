// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { FamilyGround } from './restore/testing/family-ground.ts';

test('where there is IPv6 alone, three members with TLS find and trust each other, and the Service leads to them', async () => {
  await using ground = await FamilyGround.start(['IPv6']);
  await ground.create('safe', { size: 3, TLS: await ground.certificates('safe') });
  expect(await ground.families('safe')).toEqual(['IPv6', 'IPv6', 'IPv6']);
  await ground.put('safe', 'needle', 'first');
  expect(await ground.readAtService('safe', 'needle')).toBe('first');
});
