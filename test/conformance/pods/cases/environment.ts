// SPDX-License-Identifier: Apache-2.0
import { expect } from 'vitest';
import { busybox, container, type PodSubject, shell } from '../pod-trial.ts';

/** What a process in a container sees: variables, arguments, names. */
export const environment: PodSubject = {
  name: 'environment of a container',
  cases: {
    'variables refer to those before them, and what is not known stays as it is': async (t) => {
      const env = [
        { name: 'A', value: 'one' },
        { name: 'B', value: '$(A)-two' },
        { name: 'C', value: '$(NONE) $$(A) $(B)' },
        { name: 'D', value: '$(E)' },
        { name: 'E', value: 'late' },
      ];
      expect(await t.output('echo "$B|$C|$D"', { env })).toBe('one-two|$(NONE) $(A) one-two|$(E)\n');
    },
    'command and arguments refer to variables, too': async (t) => {
      const env = [{ name: 'A', value: 'one' }];
      const containers = [
        { name: 'c', image: busybox, command: ['echo', '$(A)'], args: ['$(A)/x', '$$(A)', '$(NONE)'], env },
      ];
      const pod = await t.start({ restartPolicy: 'Never', containers });
      await pod.ended();
      expect(await pod.log()).toBe('one one/x $(A) $(NONE)\n');
    },
    'a Pod can know itself': async (t) => {
      const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
      const env = [
        field('NAME', 'metadata.name'),
        field('NAMESPACE', 'metadata.namespace'),
        field('ACCOUNT', 'spec.serviceAccountName'),
        field('LABEL', "metadata.labels['app']"),
        field('NOTE', "metadata.annotations['example.com/note']"),
        field('NO_NOTE', "metadata.annotations['example.com/none']"),
      ];
      const ns = await t.podNamespace();
      const metadata = { ns, name: 'me', labels: { app: 'a' }, annotations: { 'example.com/note': 'n' } };
      const out = await t.output('echo "$NAME $NAMESPACE $ACCOUNT $LABEL $NOTE <$NO_NOTE>"', { env }, {}, metadata);
      expect(out).toBe(`me ${ns} default a n <>\n`);
    },
    'a Pod can know where it is': async (t) => {
      const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
      const env = [field('IP', 'status.podIP'), field('NODE', 'spec.nodeName'), field('HOST', 'status.hostIP')];
      const pod = await t.start({ restartPolicy: 'Never', containers: [shell('echo "$IP $NODE $HOST"', { env })] });
      const status = await pod.ended();
      const { spec } = await pod.read();
      expect(await pod.log()).toBe(`${status.podIP} ${spec?.nodeName} ${status.hostIP}\n`);
    },
    'a container can know its resources': async (t) => {
      const resource = (name: string, path: string, divisor?: string) => ({
        name,
        valueFrom: { resourceFieldRef: { resource: path, ...(divisor && { divisor }) } },
      });
      const env = [
        resource('CPU', 'requests.cpu', '1m'),
        resource('CPU_UP', 'limits.cpu'),
        resource('MEMORY', 'limits.memory', '1Mi'),
      ];
      const resources = { requests: { cpu: '100m', memory: '16Mi' }, limits: { cpu: '300m', memory: '32Mi' } };
      expect(await t.output('echo "$CPU $CPU_UP $MEMORY"', { env, resources })).toBe('100 1 32\n');
    },
    'variables come from ConfigMaps and Secrets, one by one or all at once': async (t) => {
      const ns = await t.podNamespace();
      await t.make(`/api/v1/namespaces/${ns}/configmaps`, { metadata: { name: 'm' }, data: { A: 'a', B: 'b' } });
      await t.make(`/api/v1/namespaces/${ns}/secrets`, {
        metadata: { name: 's' },
        stringData: { B: 'secret', C: 'c' },
      });
      const fields = {
        envFrom: [
          { configMapRef: { name: 'm' } },
          { prefix: 'S_', secretRef: { name: 's' } },
          { secretRef: { name: 's' } },
        ],
        env: [
          { name: 'A', value: 'own' },
          { name: 'D', valueFrom: { configMapKeyRef: { name: 'm', key: 'B' } } },
        ],
      };
      expect(await t.output('echo "$A $B $C $D $S_B"', fields, {}, { ns })).toBe('own secret c b secret\n');
    },
    'Services that were there before are variables': async (t) => {
      const ns = await t.podNamespace();
      const spec = { ports: [{ name: 'client', port: 2379 }] };
      const made = await t.make(`/api/v1/namespaces/${ns}/services`, { metadata: { name: 'my-db' }, spec });
      const { clusterIP } = made.spec as { clusterIP: string };
      // The kubelet sees Services with a delay.
      await t.eventually(async () => {
        const out = await t.output('env | grep ^MY_DB | sort', {}, {}, { ns, name: t.unique('p') });
        expect(out.trim().split('\n')).toEqual([
          `MY_DB_PORT=tcp://${clusterIP}:2379`,
          `MY_DB_PORT_2379_TCP=tcp://${clusterIP}:2379`,
          `MY_DB_PORT_2379_TCP_ADDR=${clusterIP}`,
          'MY_DB_PORT_2379_TCP_PORT=2379',
          'MY_DB_PORT_2379_TCP_PROTO=tcp',
          `MY_DB_SERVICE_HOST=${clusterIP}`,
          'MY_DB_SERVICE_PORT=2379',
          'MY_DB_SERVICE_PORT_CLIENT=2379',
        ]);
      });
    },
    'without links to Services only that of the API server is a variable': async (t) => {
      const ns = await t.podNamespace();
      await t.make(`/api/v1/namespaces/${ns}/services`, {
        metadata: { name: 'my-db' },
        spec: { ports: [{ port: 1 }] },
      });
      const out = await t.output(
        'env | cut -d= -f1 | grep -E "MY_DB|KUBERNETES_SERVICE_HOST"',
        {},
        { enableServiceLinks: false },
        { ns },
      );
      expect(out).toBe('KUBERNETES_SERVICE_HOST\n');
    },
    'a process inherits nothing from the machine': async (t) => {
      const out = await t.output('env | cut -d= -f1 | grep -v ^KUBERNETES_ | sort', {}, { enableServiceLinks: false });
      expect(out.trim().split('\n')).toEqual(['HOME', 'HOSTNAME', 'PATH', 'PWD', 'SHLVL']);
    },
    'the host name is that of the Pod, or the one it asks for': async (t) => {
      expect(await t.output('hostname; echo $HOSTNAME', {}, {}, { name: 'some-pod' })).toBe('some-pod\nsome-pod\n');
      expect(await t.output('hostname', {}, { hostname: 'chosen' })).toBe('chosen\n');
    },
    'the hosts file knows the Pod and its aliases': async (t) => {
      const hostAliases = [{ ip: '10.1.2.3', hostnames: ['one.example', 'two.example'] }];
      const pod = await t.start({
        restartPolicy: 'Never',
        hostname: 'h',
        subdomain: 'sub',
        hostAliases,
        containers: [shell('cat /etc/hosts')],
      });
      const { podIP } = await pod.ended();
      const hosts = await pod.log();
      expect(hosts).toMatch(/^127\.0\.0\.1\tlocalhost$/m);
      expect(hosts).toContain(`${podIP}\th.sub.${pod.ns}.svc.cluster.local\th\n`);
      expect(hosts).toContain('10.1.2.3\tone.example\ttwo.example\n');
    },
    'names are looked up in the own namespace first': async (t) => {
      const ns = await t.podNamespace();
      expect(await t.output('cat /etc/resolv.conf', {}, {}, { ns })).toBe(
        `search ${ns}.svc.cluster.local svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n`,
      );
    },
    'how names are looked up can be chosen': async (t) => {
      const dnsConfig = {
        nameservers: ['10.9.9.9'],
        searches: ['x.example'],
        options: [{ name: 'ndots', value: '1' }],
      };
      expect(await t.output('cat /etc/resolv.conf', {}, { dnsPolicy: 'None', dnsConfig })).toBe(
        'search x.example\nnameserver 10.9.9.9\noptions ndots:1\n',
      );
    },
    'an annotation in a variable is read again at each start': async (t) => {
      const env = [{ name: 'NOTE', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['note']" } } }];
      const volumes = [{ name: 'v', emptyDir: {} }];
      const script = 'echo "note $NOTE"; touch /v/up; while [ -e /v/up ]; do sleep 0.1; done';
      const liveness = {
        exec: { command: ['cat', '/v/go-on'] },
        initialDelaySeconds: 3,
        periodSeconds: 1,
        failureThreshold: 1,
      };
      const containers = [
        shell(script, { env, livenessProbe: liveness, volumeMounts: [{ name: 'v', mountPath: '/v' }] }),
      ];
      const pod = await t.start({ containers, volumes }, { annotations: { note: 'first' } });
      await pod.logged(/^note first$/m);
      await t.patch(pod.path, 'merge', { metadata: { annotations: { note: 'second' } } });
      await pod.until(
        'restarted',
        (now) => (container(now)?.restartCount ?? 0) > 0 && !!container(now)?.state?.running,
      );
      await pod.logged(/^note second$/m);
    },
    'a process starts in the folder that is asked for': async (t) => {
      expect(await t.output('pwd', { workingDir: '/etc' })).toBe('/etc\n');
    },
    'a process runs as the user and the groups that are asked for': async (t) => {
      const securityContext = { runAsUser: 1000, runAsGroup: 2000, supplementalGroups: [3000] };
      const out = await t.output('id -u; id -g; id -G', {}, { securityContext });
      expect(out).toBe('1000\n2000\n2000 3000\n');
    },
    'a root that is read-only cannot be written': async (t) => {
      const out = await t.output('touch /x 2>&1 || echo refused', {
        securityContext: { readOnlyRootFilesystem: true },
      });
      expect(out).toMatch(/Read-only file system\nrefused\n$/);
    },
  },
};
