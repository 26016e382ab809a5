// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { named, schemaOf, spec } from '../../testing/patch-schemas.ts';
import { applyStrategicPatch, createStrategicPatch } from './strategic-patch.ts';

const pods = schemaOf('v1', 'Pod');
const deployments = schemaOf('apps/v1', 'Deployment');
const services = schemaOf('v1', 'Service');

const letters = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const optional = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(fields, { requiredKeys: [] });
const byName = <T extends { readonly name: string }>(item: fc.Arbitrary<T>) =>
  fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 5 });
const metadata = optional({
  labels: fc.dictionary(letters, letters),
  finalizers: fc.uniqueArray(letters, { maxLength: 4 }),
});
const container = fc.record(
  {
    name: letters,
    image: letters,
    args: fc.array(letters, { maxLength: 3 }),
    env: byName(fc.record({ name: letters, value: letters }, { requiredKeys: ['name'] })),
    // The same port for TCP and for UDP is legal and has the same merge key.
    ports: fc
      .array(fc.record({ containerPort: fc.nat(3), protocol: letters }), { maxLength: 4 })
      .map((ports) => ports.toSorted((a, b) => a.containerPort - b.containerPort)),
  },
  { requiredKeys: ['name'] },
);
const volume = fc.record(
  { name: letters, emptyDir: optional({ medium: letters }), hostPath: optional({ path: letters }) },
  { requiredKeys: ['name'] },
);
const deployment = optional({
  metadata,
  spec: optional({
    replicas: fc.nat(3),
    strategy: optional({ type: letters, rollingUpdate: optional({ maxSurge: fc.nat(2) }) }),
    template: optional({
      metadata,
      spec: optional({ containers: byName(container), volumes: byName(volume), hostname: letters }),
    }),
  }),
});
const plain = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;

describe('a patch made of two objects', () => {
  test('turns one object into the other, for any two', () => {
    fc.assert(
      fc.property(deployment.map(plain), deployment.map(plain), (before, after) => {
        const patch = createStrategicPatch(before, after, deployments);
        expect(applyStrategicPatch<unknown>(before, patch, deployments)).toEqual(after);
        expect(createStrategicPatch(after, plain(after), deployments)).toEqual({});
      }),
      { numRuns: 500 },
    );
  });

  test('says no more than what differs', () => {
    const before = spec({ containers: [{ name: 'a', image: '1' }, { name: 'b' }, { name: 'c' }], hostname: 'h' });
    const after = spec({ containers: [{ name: 'c' }, { name: 'a', image: '2' }], hostname: 'h' });
    expect(createStrategicPatch(before, after, pods)).toEqual(
      spec({
        containers: [
          { name: 'a', image: '2' },
          { name: 'b', $patch: 'delete' },
        ],
        '$setElementOrder/containers': named('c', 'a'),
      }),
    );
  });

  test('names the keys to retain', () => {
    const before = spec({ strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } });
    const after = spec({ strategy: { type: 'Recreate' } });
    expect(createStrategicPatch(before, after, deployments)).toEqual(
      spec({ strategy: { type: 'Recreate', rollingUpdate: null, $retainKeys: ['type'] } }),
    );
  });

  test('replaces a list whose items have no identity', () => {
    const ports = (...protocols: readonly string[]) =>
      spec({ ports: protocols.map((protocol) => ({ port: 53, protocol })) });
    const patch = createStrategicPatch(ports('TCP', 'UDP'), ports('UDP', 'TCP'), services);
    expect(applyStrategicPatch<unknown>(ports('TCP', 'UDP'), patch, services)).toEqual(ports('UDP', 'TCP'));
  });
});
