// SPDX-License-Identifier: Apache-2.0
import type { Container, Pod, Service } from '@operator-parts/kube';
import { describe, expect, test } from 'vitest';
import type { ConfigSource } from './config-source.ts';
import { containerEnvironment } from './container-environment.ts';
import { fieldValue } from './field-path.ts';

const pod: Pod = {
  metadata: { name: 'p', namespace: 'ns', uid: 'u', labels: { b: '2', a: 'x"y' }, annotations: { note: 'hi' } },
  spec: { containers: [], serviceAccountName: 'sa', enableServiceLinks: false },
};
const where = { nodeName: 'node-1', hostIps: ['10.0.0.1'], podIps: ['10.0.0.2'] } as const;
const base64 = (text: string) => Buffer.from(text).toString('base64');

function config(change: Partial<ConfigSource> = {}): ConfigSource {
  return {
    secret: (_, name) => (name === 's' ? { data: { key: base64('hush') } } : undefined),
    configMap: (_, name) => (name === 'c' ? { data: { key: 'text', other: 'more' } } : undefined),
    services: () => [],
    claim: () => undefined,
    volume: () => undefined,
    token: async () => '',
    ...change,
  };
}

const environment = (container: Partial<Container>, source = config(), subject = pod) =>
  containerEnvironment({ pod: subject, container: { name: 'c', ...container }, where, config: source });

describe('the environment', () => {
  test('takes values from the pod, from ConfigMaps and from Secrets', () => {
    const env = [
      { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'NOTE', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['note']" } } },
      { name: 'SECRET', valueFrom: { secretKeyRef: { name: 's', key: 'key' } } },
      { name: 'TEXT', valueFrom: { configMapKeyRef: { name: 'c', key: 'key' } } },
      { name: 'ABSENT', valueFrom: { configMapKeyRef: { name: 'c', key: 'none', optional: true } } },
      { name: 'ALL', value: '$(NAME)-$(TEXT)-$(LATER)' },
      { name: 'LATER', value: 'x' },
    ];
    expect(environment({ env })).toEqual({
      NAME: 'p',
      IP: '10.0.0.2',
      NOTE: 'hi',
      SECRET: 'hush',
      TEXT: 'text',
      ALL: 'p-text-$(LATER)',
      LATER: 'x',
    });
  });

  test('takes whole objects, with a prefix, and lets single values win', () => {
    const envFrom = [
      { prefix: 'P_', configMapRef: { name: 'c' } },
      { secretRef: { name: 's' } },
      { secretRef: { name: 'x', optional: true } },
    ];
    expect(environment({ envFrom, env: [{ name: 'key', value: 'own' }] })).toEqual({
      P_key: 'text',
      P_other: 'more',
      key: 'own',
    });
  });

  test.each([
    [{ env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'none', key: 'k' } } }] }, 'secret "none" not found'],
    [
      { env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
      "couldn't find key k in Secret ns/s",
    ],
    [{ envFrom: [{ configMapRef: { name: 'none' } }] }, 'configmap "none" not found'],
    [{ env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'spec.nope' } } }] }, 'unsupported fieldPath: spec.nope'],
  ])('of %o is refused: %s', (container, message) => {
    expect(() => environment(container)).toThrow(message);
  });

  test('tells of requests and limits, divided and rounded up', () => {
    const resources = { limits: { cpu: '1500m', memory: '64Mi' }, requests: { cpu: '100m' } };
    const ref = (resource: string, divisor = '0') => ({ valueFrom: { resourceFieldRef: { resource, divisor } } });
    const env = [
      { name: 'CPU', ...ref('limits.cpu') },
      { name: 'MILLI', ...ref('limits.cpu', '1m') },
      { name: 'MEMORY', ...ref('limits.memory', '1Mi') },
      { name: 'REQUEST', ...ref('requests.cpu') },
    ];
    expect(environment({ env, resources })).toEqual({ CPU: '2', MILLI: '1500', MEMORY: '64', REQUEST: '1' });
  });

  test('tells of services with a cluster IP', () => {
    const kubernetes: Service = {
      metadata: { name: 'kubernetes' },
      spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443 }] },
    };
    const web: Service = { metadata: { name: 'my-web' }, spec: { clusterIP: '10.96.0.5', ports: [{ port: 80 }] } };
    const headless: Service = { metadata: { name: 'h' }, spec: { clusterIP: 'None', ports: [{ port: 80 }] } };
    const source = config({ services: (namespace) => (namespace === 'default' ? [kubernetes] : [web, headless]) });
    expect(environment({}, source)).toMatchObject({
      KUBERNETES_SERVICE_HOST: '10.96.0.1',
      KUBERNETES_SERVICE_PORT_HTTPS: '443',
    });
    expect(environment({}, source)).not.toHaveProperty('MY_WEB_SERVICE_HOST');
    const linked = environment({}, source, { ...pod, spec: { containers: [] } });
    expect(linked).toMatchObject({ MY_WEB_SERVICE_HOST: '10.96.0.5', MY_WEB_PORT: 'tcp://10.96.0.5:80' });
    expect(Object.keys(linked).some((name) => name.startsWith('H_'))).toBe(false);
  });
});

test('labels as a file are sorted and quoted', () => {
  expect(fieldValue(pod, where, 'metadata.labels')).toBe('a="x\\"y"\nb="2"');
  expect(fieldValue(pod, where, "metadata.labels['none']")).toBe('');
});
