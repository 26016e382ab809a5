// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { refusalOf } from '../../answer.ts';
import { invalid } from '../../invalid.ts';
import { labelRule, portRule } from '../../messages.ts';
import type { Subject, Trial } from '../../trial.ts';

const servicesIn = (namespace: string) => `/api/v1/namespaces/${namespace}/services`;
const service = (spec: object, name = 's') => ({ metadata: { name }, spec });
const port = { port: 80 };
const fullPort = { protocol: 'TCP', port: 80, targetPort: 80 };

async function refused(t: Trial, spec: object, name = 's') {
  return refusalOf(await t.post(servicesIn(await t.namespace()), service(spec, name)));
}

/** An address in the range that cases may request: the lower part, which the server does not use for allocation. */
const free = (last: number) => `10.96.0.${last}`;

/** Services: their addresses, their ports, and immutable fields. */
export const services: Subject = {
  name: 'Services',
  cases: {
    'a Service is completed and gets an address of its own': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(servicesIn(ns), service({ ports: [port], selector: { app: 'a' } }));
      const { clusterIP } = made.spec;
      expect(clusterIP).toMatch(/^10\.96\.\d+\.\d+$/);
      expect(made.spec).toEqual({
        ports: [fullPort],
        selector: { app: 'a' },
        clusterIP,
        clusterIPs: [clusterIP],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      });
      expect(made.status).toEqual({ loadBalancer: {} });
      const other = await t.make(servicesIn(ns), service({ ports: [port] }, 'other'));
      expect(other.spec['clusterIP']).not.toBe(clusterIP);
    },
    'a headless Service needs neither an address nor ports': async (t) => {
      const ns = await t.namespace();
      const spec = { clusterIP: 'None', selector: { app: 'a' }, publishNotReadyAddresses: true };
      const made = await t.make(servicesIn(ns), service(spec));
      expect(made.spec).toEqual({
        ...spec,
        clusterIPs: ['None'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      });
    },
    'a headless Service warns of what only an address of its own could honour': async (t) => {
      const path = `${servicesIn(await t.namespace())}?dryRun=All`;
      const spec = { clusterIP: 'None', ports: [port], externalIPs: ['10.1.1.1'], sessionAffinity: 'ClientIP' };
      const { code, headers } = await t.post(path, service(spec));
      expect(code).toBe(201);
      expect(headers['warning']).toContain('spec.externalIPs is ignored for headless services');
      expect(headers['warning']).toContain('spec.SessionAffinity is ignored for headless services');
    },
    'a Service that is reached from outside, or by the same client again, is told how': async (t) => {
      const spec = { ports: [port], externalIPs: ['10.1.1.1'], sessionAffinity: 'ClientIP', sessionAffinityConfig: {} };
      const made = await t.make(`${servicesIn(await t.namespace())}?dryRun=All`, service(spec));
      expect(made.spec).toMatchObject({
        externalTrafficPolicy: 'Cluster',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
      });
    },
    'a NodePort Service gets ports of the nodes': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(servicesIn(ns), service({ type: 'NodePort', ports: [port] }));
      const [{ nodePort }] = made.spec['ports'] as [{ nodePort: number }];
      expect(nodePort).toBeGreaterThanOrEqual(30_000);
      expect(nodePort).toBeLessThanOrEqual(32_767);
      expect(made.spec).toMatchObject({ externalTrafficPolicy: 'Cluster' });
    },
    'a LoadBalancer Service waits for one': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(servicesIn(ns), service({ type: 'LoadBalancer', ports: [port] }));
      expect(made.spec).toMatchObject({ allocateLoadBalancerNodePorts: true, externalTrafficPolicy: 'Cluster' });
      expect(made.status).toEqual({ loadBalancer: {} });
    },
    'a Service that is reached from outside no more loses what only such a one has': async (t) => {
      const ns = await t.namespace();
      const path = `${servicesIn(ns)}/s`;
      const loadBalancerClass = 'example.com/a';
      const spec = { type: 'LoadBalancer', loadBalancerClass, ports: [port] };
      await t.make(servicesIn(ns), service(spec));
      const { body } = await t.patch(path, 'merge', { spec: { type: 'ClusterIP' } });
      expect(body.spec['ports']).toEqual([fullPort]);
      for (const field of ['allocateLoadBalancerNodePorts', 'loadBalancerClass', 'externalTrafficPolicy'])
        expect(body.spec).not.toHaveProperty(field);
    },
    'the class of a load balancer stays as long as there is one': async (t) => {
      const ns = await t.namespace();
      const path = `${servicesIn(ns)}/s`;
      await t.make(
        servicesIn(ns),
        service({ type: 'LoadBalancer', loadBalancerClass: 'example.com/a', ports: [port] }),
      );
      expect(refusalOf(await t.patch(path, 'merge', { spec: { loadBalancerClass: 'example.com/b' } }))).toEqual(
        invalid('Service', 's', 'spec.loadBalancerClass: Invalid value: "example.com/b": may not change once set'),
      );
    },
    'the IP family policy of a Service stays until another one is named': async (t) => {
      const ns = await t.namespace();
      const path = `${servicesIn(ns)}/s`;
      await t.make(servicesIn(ns), service({ ipFamilyPolicy: 'PreferDualStack', ports: [port] }));
      const left = await t.patch(path, 'merge', { spec: { ipFamilyPolicy: null } });
      expect(left.body.spec).toMatchObject({ ipFamilyPolicy: 'PreferDualStack' });
      const named = await t.patch(path, 'merge', { spec: { ipFamilyPolicy: 'SingleStack' } });
      expect(named.body.spec).toMatchObject({ ipFamilyPolicy: 'SingleStack' });
    },
    'a Service that is only a name needs one': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(servicesIn(ns), service({ type: 'ExternalName', externalName: 'example.com' }));
      expect(made.spec).toEqual({ type: 'ExternalName', externalName: 'example.com', sessionAffinity: 'None' });
      expect(await refused(t, { type: 'ExternalName' })).toEqual(
        invalid('Service', 's', 'spec.externalName: Required value'),
      );
    },
    'a given address is taken, if it is free and in the range': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(servicesIn(ns), service({ clusterIP: free(77), ports: [port] }));
      expect(made.spec['clusterIP']).toBe(free(77));
      expect(await refused(t, { clusterIP: free(77), ports: [port] })).toEqual(
        invalid(
          'Service',
          's',
          `spec.clusterIPs: Invalid value: ["${free(77)}"]: failed to allocate IP ${free(77)}: provided IP is already allocated`,
        ),
      );
      expect(await refused(t, { clusterIP: '10.1.2.3', ports: [port] })).toEqual(
        invalid(
          'Service',
          's',
          'spec.clusterIPs: Invalid value: ["10.1.2.3"]: failed to allocate IP 10.1.2.3: the provided network does not match the current range',
        ),
      );
      expect(await refused(t, { clusterIP: 'nope', ports: [port] })).toEqual(
        invalid(
          'Service',
          's',
          'spec.clusterIPs[0]: Invalid value: "nope": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
        ),
      );
    },
    'an address is free again when its Service is gone': async (t) => {
      const ns = await t.namespace();
      const spec = { clusterIP: free(78), ports: [port] };
      await t.make(servicesIn(ns), service(spec));
      await t.delete(`${servicesIn(ns)}/s`);
      await t.eventually(() => t.make(servicesIn(ns), service(spec, 'next')));
    },
    'the address of a Service stays': async (t) => {
      const ns = await t.namespace();
      const path = `${servicesIn(ns)}/s`;
      await t.make(servicesIn(ns), service({ clusterIP: free(79), ports: [port] }));
      const changed = (value: string) =>
        invalid('Service', 's', `spec.clusterIPs[0]: Invalid value: ["${value}"]: may not change once set`);
      expect(refusalOf(await t.patch(path, 'merge', { spec: { clusterIP: free(80) } }))).toEqual(changed(free(80)));
      expect(refusalOf(await t.patch(path, 'merge', { spec: { clusterIP: 'None' } }))).toEqual(changed('None'));
    },
    'a replacement that leaves out the address keeps it': async (t) => {
      const ns = await t.namespace();
      const made = await t.make(servicesIn(ns), service({ ports: [port] }));
      const { body } = await t.put(`${servicesIn(ns)}/s`, service({ ports: [{ port: 81 }] }));
      expect(body.spec).toEqual({ ...made.spec, ports: [{ protocol: 'TCP', port: 81, targetPort: 81 }] });
    },
    'a Service that becomes a mere name loses its address, and gets one when it turns back': async (t) => {
      const ns = await t.namespace();
      const path = `${servicesIn(ns)}/s`;
      await t.make(servicesIn(ns), service({ ports: [port] }));
      const named = await t.patch(path, 'merge', { spec: { type: 'ExternalName', externalName: 'example.com' } });
      expect(named.body.spec).not.toHaveProperty('clusterIP');
      const back = await t.patch(path, 'merge', { spec: { type: 'ClusterIP', externalName: null } });
      expect(back.body.spec['clusterIP']).toMatch(/^10\.96\./);
    },
    'a Service needs ports, and names for several': async (t) => {
      expect(await refused(t, {})).toEqual(invalid('Service', 's', 'spec.ports: Required value'));
      expect(await refused(t, { ports: [port, { port: 81 }] })).toEqual(
        invalid('Service', 's', 'spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'),
      );
    },
    'ports are numbers from 1 to 65535': async (t) => {
      expect(await refused(t, { ports: [{ port: 0 }] })).toEqual(
        invalid(
          'Service',
          's',
          `spec.ports[0].port: Invalid value: 0: ${portRule}`,
          `spec.ports[0].targetPort: Invalid value: 0: ${portRule}`,
        ),
      );
      expect(await refused(t, { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] })).toEqual(
        invalid(
          'Service',
          's',
          'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
        ),
      );
    },
    'an unknown type is refused': async (t) => {
      expect(await refused(t, { type: 'Nope', ports: [port] })).toEqual(
        invalid(
          'Service',
          's',
          'spec.type: Unsupported value: "Nope": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
        ),
      );
    },
    'the name of a Service is a DNS label': async (t) => {
      expect(await refused(t, { ports: [port] }, 'a.b')).toEqual(
        invalid('Service', 'a.b', 'metadata.name: Invalid value: "a.b": must not contain dots'),
      );
      expect(await refused(t, { ports: [port] }, 'A')).toEqual(
        invalid('Service', 'A', `metadata.name: Invalid value: "A": ${labelRule}`),
      );
    },
    'the Service of the API server is there': async (t) => {
      const { spec } = await t.eventually(() => t.read('/api/v1/namespaces/default/services/kubernetes'));
      expect(spec).toMatchObject({ clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, protocol: 'TCP' }] });
    },
  },
};
