// SPDX-License-Identifier: Apache-2.0
import { createClient, type Service, services } from '@operator-parts/kube';
import { expect, test } from 'vitest';
import type { IpFamilies } from '../../network/addresses.ts';
import { createApiServer } from '../../server/api-server.ts';

const six = expect.stringMatching(/^fd00:10:96::[0-9a-f]+$/);
const four = expect.stringMatching(/^10\.96\.\d+\.\d+$/);

/** A stored Service after each of several changes. */
async function stored(ipFamilies: IpFamilies, ...specs: readonly Service['spec'][]): Promise<Service['spec']> {
  const resource = createClient(createApiServer({ ipFamilies }).transport()).resource(services);
  const key = { name: 's', namespace: 'default' };
  const [first, ...rest] = specs;
  await resource.create({ metadata: key, spec: { ports: [{ port: 80 }], selector: { app: 'x' }, ...first } });
  for (const spec of rest) await resource.patch(key, { type: 'merge', patch: { spec } });
  return (await resource.get(key)).spec;
}

test.each<[string, IpFamilies, readonly Service['spec'][], object]>([
  ['IPv4 alone', ['IPv4'], [{}], { clusterIPs: [four], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' }],
  ['IPv6 alone', ['IPv6'], [{}], { clusterIPs: [six], ipFamilies: ['IPv6'], ipFamilyPolicy: 'SingleStack' }],
  [
    'IPv6 alone, both if there are both',
    ['IPv6'],
    [{ ipFamilyPolicy: 'PreferDualStack' }],
    { clusterIPs: [six], ipFamilies: ['IPv6'] },
  ],
  ['both, nothing said', ['IPv6', 'IPv4'], [{}], { clusterIPs: [six], ipFamilies: ['IPv6'] }],
  ['both, the second asked for', ['IPv6', 'IPv4'], [{ ipFamilies: ['IPv4'] }], { clusterIPs: [four] }],
  [
    'both, both wanted, the second first',
    ['IPv6', 'IPv4'],
    [{ ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4'] }],
    { clusterIPs: [four, six], ipFamilies: ['IPv4', 'IPv6'] },
  ],
  [
    'both, wanted later',
    ['IPv6', 'IPv4'],
    [{}, { ipFamilyPolicy: 'PreferDualStack' }],
    { clusterIPs: [six, four], ipFamilies: ['IPv6', 'IPv4'] },
  ],
  [
    'both, no longer wanted',
    ['IPv6', 'IPv4'],
    [{ ipFamilyPolicy: 'PreferDualStack' }, { ipFamilyPolicy: 'SingleStack' }],
    { clusterIPs: [six], ipFamilies: ['IPv6'] },
  ],
  ['headless', ['IPv6'], [{ clusterIP: 'None' }], { clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv6'] }],
])('a Service in a cluster with %s', async (_name, families, specs, expected) => {
  expect(await stored(families, ...specs)).toMatchObject(expected);
});

test('an address of a family that the cluster does not have is refused', async () => {
  await expect(stored(['IPv6'], { clusterIP: '10.96.0.7' })).rejects.toThrow('does not match the current range');
});
