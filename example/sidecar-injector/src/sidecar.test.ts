// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { readSidecar, SidecarError } from './sidecar.ts';

const read = (config: string) => readSidecar('default', { data: { config } });

describe('the ConfigMap', () => {
  test('holds containers and volumes', () => {
    const config = 'containers: [{ name: envoy, image: envoy }]\nvolumes: [{ name: conf, emptyDir: {} }]';
    expect(read(config)).toEqual({
      containers: [{ name: 'envoy', image: 'envoy' }],
      volumes: [{ name: 'conf', emptyDir: {} }],
    });
  });

  test('may use all that a container can have', () => {
    const config = `
containers:
  - name: envoy
    image: envoy
    ports: [{ containerPort: 53 }, { containerPort: 53, protocol: UDP }]
    env: [{ name: A, valueFrom: { fieldRef: { fieldPath: metadata.name } } }]
    resources: { limits: { cpu: 0.5, memory: 64Mi }, requests: { cpu: 1 } }
    livenessProbe: { httpGet: { path: /, port: http }, periodSeconds: 5 }
    readinessProbe: { tcpSocket: { port: 80 } }
    securityContext: { runAsUser: 1000, capabilities: { drop: [ALL] } }
volumes:
  - name: all
    projected: { sources: [{ configMap: { name: a } }, { downwardAPI: { items: [{ path: p }] } }] }
  - { name: claim, persistentVolumeClaim: { claimName: a } }`;
    expect(read(config)).toMatchObject({ containers: [{ name: 'envoy' }], volumes: [{}, {}] });
  });

  test('may leave either of them out', () => {
    expect(read('containers: [{ name: envoy }]').volumes).toEqual([]);
    expect(read('volumes: [{ name: conf }]').containers).toEqual([]);
  });

  test.each([
    ['', 'must hold containers and volumes in its config'],
    ['- a', 'must hold containers and volumes in its config'],
    ['containers: [', 'is not YAML in its config: Flow sequence in block collection must be sufficiently indented'],
    ['containers: { name: envoy }', 'must hold a list as containers'],
    ['containers:', 'must hold a list as containers'],
    ['containers: [{ image: envoy }]', 'has no name in containers[0]'],
    ['containers: [{ name: "" }]', 'has no name in containers[0]'],
    ['volumes: [{ name: conf }, 7]', 'must hold an object as volumes[1]'],
    ['container: []', 'has "container" in its config, where nothing of that name is known'],
    ['containers: [{ name: a, imagee: b }]', 'has "imagee" in containers[0], where nothing of that name is known'],
    ['containers: [{ name: a, image: 5 }]', 'must hold a string as containers[0].image'],
    ['containers: [{ name: a, env: x }]', 'must hold a list as containers[0].env'],
    ['containers: [{ name: a, env: }]', 'must hold a list as containers[0].env'],
    ['containers: [{ name: a, env: [null] }]', 'must hold an object as containers[0].env[0]'],
    ['containers: [{ name: a, env: [{ value: b }] }]', 'has no name in containers[0].env[0]'],
    ['containers: [{ name: a, env: [{ name: B, value: 1 }] }]', 'must hold a string as containers[0].env[0].value'],
    ['containers: [{ name: a, ports: ["80"] }]', 'must hold an object as containers[0].ports[0]'],
    ['containers: [{ name: a, tty: "yes" }]', 'must hold true or false as containers[0].tty'],
    [
      'containers: [{ name: a, resources: { limits: { cpu: much } } }]',
      'must hold a quantity as containers[0].resources.limits.cpu',
    ],
    ['containers: [{ name: a }, { name: a }]', 'has two items with name a in containers'],
    [
      'containers: [{ name: a, ports: [{ containerPort: 80 }, { containerPort: 80, protocol: TCP }] }]',
      'has two items with containerPort 80 and protocol TCP in containers[0].ports',
    ],
    ['containers: [{ name: a, $patch: delete }]', 'has "$patch" in containers[0], where nothing of that name is known'],
    [
      'containers: [{ name: a, $setElementOrder/env: [] }]',
      'has "$setElementOrder/env" in containers[0], where nothing of that name is known',
    ],
    [
      'volumes: [{ name: a, $retainKeys: [name] }]',
      'has "$retainKeys" in volumes[0], where nothing of that name is known',
    ],
    ['volumes: [{ name: a, secret: x }]', 'must hold an object as volumes[0].secret'],
  ])('with the text %j is refused in words', (config, message) => {
    expect(() => read(config)).toThrow(`ConfigMap default/envoy-initializer ${message}`);
  });

  test('that is missing, or lacks its key, is named', () => {
    const missing = new SidecarError('default/envoy-initializer', 'does not exist');
    expect(() => readSidecar('default', undefined)).toThrow(missing);
    expect(() => readSidecar('default', { data: {} })).toThrow('has no key "config"');
  });
});
