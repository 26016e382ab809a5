// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { idle, type PodSubject, type PodTrial, shell } from '../pod-trial.ts';

const serve = (port: number, word: string) => `while :; do echo ${word} | nc -l -p ${port} >/dev/null; done`;
const ask = (host: string, port: number) =>
  `for i in $(seq 400); do r=$(nc -w 2 ${host} ${port} </dev/null 2>/dev/null); [ -n "$r" ] && break; sleep 0.1; done; echo "$r"`;

async function service(t: PodTrial, ns: string, name: string, spec: object): Promise<string> {
  const made = await t.make(`/api/v1/namespaces/${ns}/services`, { metadata: { name }, spec });
  return String((made.spec as { clusterIP: string }).clusterIP);
}

/** Addresses, Services and names. */
export const network: PodSubject = {
  name: 'network of a Pod',
  cases: {
    'Pods reach each other by their addresses': async (t) => {
      const server = await t.start({ containers: [shell(serve(7100, 'direct'))] });
      const { podIP } = await server.ready();
      expect(await t.output(ask(String(podIP), 7100))).toBe('direct\n');
    },
    'containers of a Pod share the loopback': async (t) => {
      const containers = [
        shell(serve(7101, 'beside'), { name: 'a' }),
        shell(`${ask('127.0.0.1', 7101)}; ${idle}`, { name: 'b' }),
      ];
      const pod = await t.start({ containers });
      await pod.logged(/^beside$/m, 'container=b');
    },
    'a Service leads to its Pods, by port': async (t) => {
      const ns = await t.podNamespace();
      const server = await t.start(
        { containers: [shell(serve(7102, 'served'))] },
        { ns, name: 'server', labels: { app: 'a' } },
      );
      const address = await service(t, ns, 's', { selector: { app: 'a' }, ports: [{ port: 80, targetPort: 7102 }] });
      await server.ready();
      expect(await t.output(ask(address, 80), {}, {}, { ns })).toBe('served\n');
    },
    'a Service has a name': async (t) => {
      const ns = await t.podNamespace();
      const address = await service(t, ns, 'named', { ports: [{ port: 80 }] });
      const script = `for i in $(seq 400); do nslookup named.${ns}.svc.cluster.local > /tmp/out 2>&1 && break; sleep 0.1; done; grep -c "${address}" /tmp/out`;
      expect(await t.output(script, {}, {}, { ns })).toBe('1\n');
    },
    'a headless Service names each ready Pod': async (t) => {
      const ns = await t.podNamespace();
      await service(t, ns, 'sub', { clusterIP: 'None', selector: { app: 'a' }, ports: [{ port: 1 }] });
      const spec = { hostname: 'one', subdomain: 'sub', containers: [shell(idle)] };
      const member = await t.start(spec, { ns, name: 'member', labels: { app: 'a' } });
      const { podIP } = await member.ready();
      const script = `for i in $(seq 400); do nslookup one.sub.${ns}.svc.cluster.local > /tmp/out 2>&1 && break; sleep 0.1; done; grep -c "${podIP}" /tmp/out`;
      expect(await t.output(script, {}, {}, { ns })).toBe('1\n');
    },
    'a headless Service names Pods that are not ready only if it says so': async (t) => {
      const ns = await t.podNamespace();
      const headless = (publishNotReadyAddresses: boolean) => ({
        clusterIP: 'None',
        selector: { app: 'a' },
        ports: [{ port: 1 }],
        publishNotReadyAddresses,
      });
      await service(t, ns, 'all', headless(true));
      await service(t, ns, 'ready', headless(false));
      const readinessProbe = { exec: { command: ['false'] }, periodSeconds: 1 };
      const containers = [shell(idle, { readinessProbe })];
      const member = await t.start({ containers }, { ns, name: 'member', labels: { app: 'a' } });
      const { podIP } = await member.running();
      const script = `for i in $(seq 400); do nslookup all.${ns}.svc.cluster.local > /tmp/out 2>&1 && break; sleep 0.1; done; grep -c "${podIP}" /tmp/out; nslookup ready.${ns}.svc.cluster.local 2>&1 | grep -c "${podIP}"`;
      expect(await t.output(`${script}; exit 0`, {}, {}, { ns })).toBe('1\n0\n');
    },
    'an address has a name, too': async (t) => {
      const ns = await t.podNamespace();
      await service(t, ns, 'sub', { clusterIP: 'None', selector: { app: 'a' }, ports: [{ port: 1 }] });
      const spec = { hostname: 'one', subdomain: 'sub', containers: [shell(idle)] };
      const member = await t.start(spec, { ns, name: 'member', labels: { app: 'a' } });
      const { podIP } = await member.ready();
      const script = `for i in $(seq 400); do nslookup ${podIP} > /tmp/out 2>&1 && break; sleep 0.1; done; grep -c "one.sub.${ns}.svc.cluster.local" /tmp/out`;
      expect(await t.output(script, {}, {}, { ns })).toBe('1\n');
    },
    'ready Pods are listed as endpoints of their Service, in slices': async (t) => {
      const ns = await t.podNamespace();
      await service(t, ns, 's', { selector: { app: 'a' }, ports: [{ name: 'client', port: 80, targetPort: 7103 }] });
      const pod = await t.start({ containers: [shell(idle)] }, { ns, name: 'member', labels: { app: 'a' } });
      const { podIP } = await pod.ready();
      const uid = (await pod.read()).metadata?.uid;
      await t.eventually(async () => {
        const selector = encodeURIComponent('kubernetes.io/service-name=s');
        const { items } = await t.list(
          `/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices?labelSelector=${selector}`,
        );
        expect(items).toMatchObject([
          {
            addressType: 'IPv4',
            ports: [{ name: 'client', port: 7103, protocol: 'TCP' }],
            endpoints: [
              {
                addresses: [podIP],
                conditions: { ready: true, serving: true, terminating: false },
                targetRef: { kind: 'Pod', name: 'member', namespace: ns, uid },
              },
            ],
          },
        ]);
      });
    },
  },
};
