// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { ensurePart } from '@etcd-operator/tools';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busyboxImages } from './images/busybox-image.ts';
import { createImageTable } from './images/image-table.ts';
import { type Lab, startLab } from './lab.ts';
import { type Kubectl, openKubectl } from './testing/kubectl.ts';

let lab: Lab;
let kubectl: Kubectl;

beforeAll(async () => {
  const busybox = await ensurePart('busybox');
  lab = await startLab({ images: createImageTable([busyboxImages(busybox)]) });
  kubectl = await openKubectl(lab);
});

afterAll(() => lab?.stop());

const speaker = `
apiVersion: v1
kind: Pod
metadata: { name: speaker, labels: { app: speaker } }
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: busybox
    command: [sh, -c, 'echo first; (while true; do echo from the pod | nc -l -p 8080; done) & sleep 1000']
`;

describe('commands that send typed objects, which is protobuf', () => {
  test('create configmap, secret, role, rolebinding, serviceaccount', async () => {
    await kubectl(['create', 'configmap', 'typed', '--from-literal=a=1', '--from-literal=b=grün']);
    expect(await kubectl(['get', 'configmap', 'typed', '-o', 'jsonpath={.data.a} {.data.b}'])).toBe('1 grün');
    await kubectl(['create', 'secret', 'generic', 'typed', '--from-literal=key=value']);
    expect(await kubectl(['get', 'secret', 'typed', '-o', 'jsonpath={.data.key}'])).toBe('dmFsdWU=');
    await kubectl(['create', 'role', 'typed', '--verb=get,list', '--resource=pods', '--resource-name=a']);
    const rules = JSON.parse(await kubectl(['get', 'role', 'typed', '-o', 'jsonpath={.rules}'])) as unknown;
    expect(rules).toEqual([{ apiGroups: [''], resourceNames: ['a'], resources: ['pods'], verbs: ['get', 'list'] }]);
    await kubectl(['create', 'serviceaccount', 'robot']);
    await kubectl(['create', 'rolebinding', 'typed', '--role=typed', '--serviceaccount=default:robot']);
    const subject = await kubectl(['get', 'rolebinding', 'typed', '-o', 'jsonpath={.subjects[0].name}']);
    expect(subject).toBe('robot');
  });

  test('create deployment, service, poddisruptionbudget, job and cronjob', async () => {
    await kubectl(['create', 'deployment', 'typed', '--image=busybox', '--replicas=0', '--port=80']);
    const image = 'jsonpath={.spec.template.spec.containers[0].image} {.spec.replicas}';
    expect(await kubectl(['get', 'deployment', 'typed', '-o', image])).toBe('busybox 0');
    await kubectl(['create', 'service', 'clusterip', 'typed', '--tcp=80:http']);
    expect(await kubectl(['get', 'service', 'typed', '-o', 'jsonpath={.spec.ports[0].targetPort}'])).toBe('http');
    await kubectl(['create', 'poddisruptionbudget', 'typed', '--selector=app=x', '--min-available=50%']);
    expect(await kubectl(['get', 'pdb', 'typed', '-o', 'jsonpath={.spec.minAvailable}'])).toBe('50%');
    await kubectl(['create', 'job', 'typed', '--image=busybox', '--', 'true']);
    await kubectl(['wait', 'job/typed', '--for=condition=Complete', '--timeout=60s']);
    await kubectl(['create', 'cronjob', 'typed', '--image=busybox', '--schedule=0 0 1 1 *', '--', 'true']);
    await kubectl(['create', 'job', 'from-cron', '--from=cronjob/typed']);
  });

  test('create token, and the token is believed', async () => {
    const token = (await kubectl(['create', 'token', 'default', '--duration=15m'])).trim();
    expect(token.split('.')).toHaveLength(3);
    const who = await kubectl(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}']);
    expect(who).toBe('kubernetes-admin');
    expect(
      await kubectl(['auth', 'can-i', 'list', 'pods', '--as=system:serviceaccount:default:nobody']).catch(String),
    ).toContain('no');
  });
});

const patient = 'trap exit TERM; sleep 1000 & wait';

describe('the lifecycle of a Pod by hand', () => {
  test('what a Pod serves is reached through the API server, and through a Service', async () => {
    const answer = 'HTTP/1.0 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nhello';
    const input = `
apiVersion: v1
kind: Pod
metadata: { name: web, labels: { app: web } }
spec:
  terminationGracePeriodSeconds: 1
  containers:
  - name: main
    image: busybox
    ports: [{ containerPort: 8080 }]
    command: [sh, -c, "while true; do printf '${answer}' | nc -l -p 8080; done"]
`;
    await kubectl(['create', '-f', '-'], { input });
    await kubectl(['wait', 'pod/web', '--for=condition=Ready', '--timeout=60s']);
    await kubectl(['expose', 'pod/web', '--port=80', '--target-port=8080']);
    for (const place of ['pods/web', 'pods/web:8080', 'services/web', 'services/web:80']) {
      const path = `/api/v1/namespaces/default/${place}/proxy/`;
      await expect.poll(() => kubectl(['get', '--raw', path]).catch(String)).toBe('hello');
    }
    await kubectl(['delete', 'pod,service', 'web', '--now']);
  });

  test('create, wait, logs, exec, describe and get as a table', async () => {
    await kubectl(['create', '-f', '-'], { input: speaker });
    await kubectl(['wait', 'pod/speaker', '--for=condition=Ready', '--timeout=60s']);
    // A container runs a moment before its script, and events are delayed.
    await expect.poll(() => kubectl(['logs', 'speaker'])).toBe('first\n');
    expect(await kubectl(['exec', 'speaker', '--', 'sh', '-c', 'echo inside; cat /etc/hostname'])).toMatch(/^inside\n/);
    expect(await kubectl(['exec', '-i', 'speaker', '--', 'cat'], { input: 'through' })).toBe('through');
    await expect(kubectl(['exec', 'speaker', '--', 'sh', '-c', 'exit 7'])).rejects.toThrow('ended with 7');
    const described = () => kubectl(['describe', 'pod', 'speaker']);
    await expect.poll(described).toContain('Successfully assigned default/speaker');
    expect(await kubectl(['get', 'pods', '-l', 'app=speaker'])).toMatch(/speaker\s+1\/1\s+Running\s+0/);
  });

  test('port-forward carries bytes', async () => {
    const forward = kubectl.start(['port-forward', 'pod/speaker', ':8080']);
    const [line] = (await once(createInterface({ input: forward.stdout ?? process.stdin }), 'line')) as [string];
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]);
    const socket = connect(port, '127.0.0.1');
    const [piece] = (await once(socket, 'data')) as [Buffer];
    expect(piece.toString()).toBe('from the pod\n');
    socket.destroy();
    forward.kill('SIGKILL');
    await once(forward, 'close');
  });

  test('logs -f follows, and get -w sees the end', async () => {
    const follow = kubectl.start(['logs', '-f', 'speaker']);
    const watch = kubectl.start(['get', 'pod', 'speaker', '-w', '--output-watch-events']);
    const seen: string[] = [];
    createInterface({ input: watch.stdout ?? process.stdin }).on('line', (line) => seen.push(line));
    const [line] = (await once(createInterface({ input: follow.stdout ?? process.stdin }), 'line')) as [string];
    expect(line).toBe('first');
    await kubectl(['delete', 'pod', 'speaker', '--timeout=60s']);
    await expect.poll(() => seen.at(-1)).toMatch(/DELETED/);
    for (const child of [follow, watch]) child.kill('SIGKILL');
  });
});

describe('changing what is there', () => {
  const config = (value: string) =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: changed }\ndata: { value: "${value}" }\n`;
  const value = () => kubectl(['get', 'configmap', 'changed', '-o', 'jsonpath={.data.value}']);

  test('apply on the client and on the server, diff, edit, patch, label, annotate, replace', async () => {
    expect(await kubectl(['apply', '-f', '-'], { input: config('1') })).toContain('created');
    expect(await kubectl(['apply', '-f', '-'], { input: config('1') })).toContain('unchanged');
    expect(await kubectl(['apply', '-f', '-'], { input: config('2') })).toContain('configured');
    await expect(kubectl(['diff', '-f', '-'], { input: config('3') })).rejects.toThrow(
      /-\s+value: "2"(?:.|\n)*\+\s+value: "3"/,
    );
    await kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input: config('4') });
    expect(await value()).toBe('4');
    await kubectl(['edit', 'configmap', 'changed'], { env: { KUBE_EDITOR: 'sed -i s/\\"4\\"/\\"5\\"/' } });
    expect(await value()).toBe('5');
    await kubectl(['patch', 'configmap', 'changed', '-p', '{"data":{"value":"6"}}']);
    expect(await value()).toBe('6');
    await kubectl(['label', 'configmap', 'changed', 'a=b']);
    await kubectl(['annotate', 'configmap', 'changed', 'c=d']);
    expect(await kubectl(['get', 'configmap', '-l', 'a=b', '-o', 'name'])).toBe('configmap/changed\n');
    await kubectl(['replace', '-f', '-'], { input: config('7') });
    expect(await value()).toBe('7');
  });

  test('apply on the server goes on where apply on the client left off', async () => {
    const moved = (data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: moved }\ndata: { ${data} }\n`;
    await kubectl(['apply', '-f', '-'], { input: moved('a: one, b: two') });
    await kubectl(['apply', '--server-side', '-f', '-'], { input: moved('a: other') });
    expect(await kubectl(['get', 'configmap', 'moved', '-o', 'jsonpath={.data}'])).toBe('{"a":"other"}');
    const owners = 'jsonpath={range .metadata.managedFields[*]}{.manager} {.operation};{end}';
    const shown = await kubectl(['get', 'configmap', 'moved', '-o', owners, '--show-managed-fields']);
    // They are ordered by their times, which may be equal.
    expect(new Set(shown.split(';'))).toEqual(new Set(['kubectl Apply', 'kubectl-last-applied Apply', '']));
    expect(await kubectl(['apply', 'view-last-applied', 'configmap', 'moved'])).toContain('a: other');
  });

  test.each([
    ['extensions/v1beta1', 'Deployment'],
    ['apps/v1beta1', 'Deployment'],
    ['batch/v1beta1', 'CronJob'],
    ['apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition'],
  ])('a manifest of %s, which is gone, is answered as by a real cluster', async (apiVersion, kind) => {
    const input = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: { name: old }\n`;
    const message = `resource mapping not found for name: "old" namespace: "" from "STDIN": no matches for kind "${kind}" in version "${apiVersion}"\nensure CRDs are installed first`;
    for (const command of [['create'], ['apply'], ['apply', '--server-side'], ['replace'], ['delete']]) {
      await expect(kubectl([...command, '-f', '-'], { input })).rejects.toThrow(message);
    }
  });

  test('a daemon set runs on every node', async () => {
    const input = `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: everywhere }
spec:
  selector: { matchLabels: { app: everywhere } }
  template:
    metadata: { labels: { app: everywhere } }
    spec:
      containers: [{ name: main, image: busybox, command: [sh, -c, '${patient}'] }]
`;
    await kubectl(['apply', '-f', '-'], { input });
    await kubectl(['rollout', 'status', 'daemonset/everywhere', '--timeout=60s']);
    const nodes = await kubectl(['get', 'nodes', '-o', 'name']);
    const pods = await kubectl(['get', 'pods', '-l', 'app=everywhere', '-o', 'jsonpath={.items[*].spec.nodeName}']);
    expect(pods.split(' ').sort()).toEqual(nodes.trim().replaceAll('node/', '').split('\n').sort());
    await kubectl(['set', 'env', 'daemonset/everywhere', 'A=B']);
    await kubectl(['rollout', 'status', 'daemonset/everywhere', '--timeout=60s']);
    await kubectl(['rollout', 'undo', 'daemonset/everywhere']);
    await kubectl(['delete', 'daemonset', 'everywhere', '--cascade=foreground', '--timeout=60s']);
  });

  test('scale, rollout, explain, api-resources and drain', async () => {
    await kubectl(['create', 'deployment', 'scaled', '--image=busybox', '--', 'sh', '-c', patient]);
    await kubectl(['scale', 'deployment/scaled', '--replicas=2']);
    await kubectl(['rollout', 'status', 'deployment/scaled', '--timeout=60s']);
    await kubectl(['set', 'env', 'deployment/scaled', 'A=B']);
    await expect.poll(() => kubectl(['rollout', 'history', 'deployment/scaled'])).toMatch(/^2\s/m);
    expect(await kubectl(['explain', 'pod.spec.hostAliases'])).toContain('HostAlias');
    expect(await kubectl(['api-resources', '--api-group=apps', '-o', 'name'])).toContain('deployments.apps');
    await kubectl(['cordon', 'node-1']);
    await kubectl(['drain', 'node-1', '--force', '--grace-period=1', '--timeout=60s']);
    await kubectl(['uncordon', 'node-1']);
    await kubectl(['delete', 'deployment', 'scaled', '--cascade=foreground', '--timeout=60s']);
  });
});
