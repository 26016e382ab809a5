// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crdYaml } from '@operator-parts/crd';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { networks } from './network.ts';
import { createWorld, network, type World } from './testing/world.ts';

test('crd/network.yaml is what `npm run generate` would write now', () => {
  const file = join(import.meta.dirname, '..', 'crd', 'network.yaml');
  expect(readFileSync(file, 'utf8')).toBe(crdYaml(networks));
});

describe('the API server', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
    await world.installCrd();
  });
  afterAll(() => world[Symbol.asyncDispose]());
  const create = (spec: object) =>
    world.client.resource(networks.resource).create(network('one', spec), { dryRun: true });

  test.each([
    ['192.168.0.0/16', '192.168.0.1'],
    ['192.168.1.0/16', '192.168.1.1'],
    ['10.0.0.0/32', '10.0.0.0'],
    ['fd00::/8', 'fd00::1'],
  ])('takes the network %s with the gateway %s', async (cidr, gateway) => {
    expect((await create({ cidr, gateway })).spec).toEqual({ cidr, gateway });
  });

  test.each([
    ['192.168.0.0/33', '192.168.0.1', 'spec.cidr: Invalid value: "192.168.0.0/33": must be a range of addresses'],
    ['192.168.0.0', '192.168.0.1', 'spec.cidr: Invalid value: "192.168.0.0": must be a range of addresses'],
    ['192.168.0.0/16', 'router', 'spec.gateway: Invalid value: "router": must be an IP address'],
    ['192.168.0.0/16', '10.0.0.1', 'the gateway 10.0.0.1 is not an address of the network 192.168.0.0/16'],
    ['fd00::/8', '10.0.0.1', 'the gateway 10.0.0.1 is not an address of the network fd00::/8'],
  ])('refuses the network %s with the gateway %s', async (cidr, gateway, message) => {
    await expect(create({ cidr, gateway })).rejects.toThrow(message);
  });

  test('refuses a Network without a gateway', async () => {
    await expect(create({ gateway: undefined })).rejects.toThrow('spec.gateway: Required value');
  });
});
