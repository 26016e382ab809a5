// SPDX-License-Identifier: Apache-2.0
import type { Container, ContainerPort, Pod } from '@operator-parts/kube';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inject } from './inject.ts';
import type { Sidecar } from './sidecar.ts';

const app = { name: 'app', image: 'app' };
const sidecar: Sidecar = {
  containers: [
    {
      name: 'envoy',
      image: 'envoy:2',
      args: ['--fast'],
      env: [{ name: 'LEVEL', value: 'info' }],
      ports: [{ containerPort: 15001 }],
    },
  ],
  volumes: [{ name: 'envoy-conf', configMap: { name: 'envoy' } }],
};
const pod = (...containers: NonNullable<Pod['spec']>['containers']): Pod => ({
  metadata: { name: 'one' },
  spec: { containers },
});

describe('injecting', () => {
  test('adds containers and volumes, and changes nothing else', () => {
    const before = { ...pod(app), metadata: { name: 'one', labels: { a: 'b' } } };
    expect(inject(before, sidecar)).toEqual({
      ...before,
      spec: { containers: [app, ...sidecar.containers], volumes: sidecar.volumes },
    });
  });

  test('merges a container of the same name instead of doubling it', () => {
    const own = { name: 'envoy', image: 'envoy:1', env: [{ name: 'REGION', value: 'north' }], tty: true };
    const { containers } = inject(pod(own, app), sidecar).spec ?? { containers: [] };
    expect(containers.map(({ name }) => name).sort()).toEqual(['app', 'envoy']);
    expect(containers.find(({ name }) => name === 'envoy')).toEqual({
      name: 'envoy',
      image: 'envoy:2',
      args: ['--fast'],
      env: expect.arrayContaining([
        { name: 'LEVEL', value: 'info' },
        { name: 'REGION', value: 'north' },
      ]),
      ports: [{ containerPort: 15001 }],
      tty: true,
    });
  });

  test('keeps the same port for TCP and for UDP, from the Pod or the sidecar', () => {
    const [tcp, udp] = [
      { containerPort: 53, protocol: 'TCP', name: 'tcp' },
      { containerPort: 53, protocol: 'UDP', name: 'udp' },
    ] as const;
    const portsOf = (own: readonly ContainerPort[], added: readonly ContainerPort[]) => {
      const before = pod({ ...app, ports: own });
      return inject(before, { containers: [{ name: 'app', ports: added }], volumes: [] }).spec?.containers[0]?.ports;
    };
    expect(portsOf([], [tcp, udp])).toEqual([tcp, udp]);
    expect(portsOf([tcp], [udp])).toEqual([tcp, udp]);
    expect(portsOf([{ containerPort: 53 }], [udp, tcp])).toEqual([tcp, udp]);
    expect(portsOf([tcp, udp], [{ containerPort: 53, name: 'dns' }])).toEqual([{ ...tcp, name: 'dns' }, udp]);
  });

  test('merges a volume of the same name too, with the source of the sidecar alone', () => {
    const before: Pod = { spec: { containers: [app], volumes: [{ name: 'envoy-conf', emptyDir: {} }] } };
    expect(inject(before, sidecar).spec?.volumes).toEqual(sidecar.volumes);
  });

  test('leaves its arguments as they are', () => {
    const before = Object.freeze(pod(Object.freeze(app)));
    inject(before, sidecar);
    expect(before).toEqual(pod(app));
  });
});

describe('whatever the Pod and the sidecar', () => {
  const portKey = ({ containerPort, protocol = 'TCP' }: ContainerPort) => `${containerPort}/${protocol}`;
  const portKeys = (list: readonly Container[]) =>
    list.flatMap((one) => (one.ports ?? []).map((each) => `${one.name} ${portKey(each)}`));
  const name = fc.constantFrom('a', 'b', 'envoy', '__proto__');
  const env = fc.uniqueArray(fc.record({ name, value: fc.string() }), { selector: (one) => one.name });
  const port = fc.record(
    { containerPort: fc.integer({ min: 1, max: 3 }), protocol: fc.constantFrom('TCP', 'UDP'), hostIP: fc.string() },
    { requiredKeys: ['containerPort'] },
  );
  const ports = fc.uniqueArray(port, { selector: portKey });
  const container = fc.record(
    { name, image: fc.string(), env, ports, args: fc.array(fc.string()), tty: fc.boolean() },
    { requiredKeys: ['name'] },
  );
  const volume = fc.oneof(
    fc.record({ name, emptyDir: fc.constant({}) }),
    fc.record({ name, configMap: fc.record({ name }) }),
  );
  const containers = fc.uniqueArray(container, { selector: (one) => one.name });
  const volumes = fc.uniqueArray(volume, { selector: (one) => one.name });
  const parts = fc.record({ containers, volumes });

  test('injecting twice is injecting once, and nothing is there twice or lost', () => {
    fc.assert(
      fc.property(parts, parts, (spec, added) => {
        const once = inject({ metadata: { name: 'one' }, spec }, added);
        expect(inject(once, added)).toEqual(once);
        const names = (once.spec?.containers ?? []).map((one) => one.name);
        const wanted = [...spec.containers, ...added.containers].map((one) => one.name);
        expect(names.sort()).toEqual([...new Set(wanted)].sort());
        const wantedPorts = new Set(portKeys([...spec.containers, ...added.containers]));
        expect(portKeys(once.spec?.containers ?? []).sort()).toEqual([...wantedPorts].sort());
      }),
    );
  });
});
