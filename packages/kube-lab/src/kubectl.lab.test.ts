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

describe('the life of a Pod by hand', () => {
  test('create, wait, logs, exec, describe and get as a table', async () => {
    await kubectl(['create', '-f', '-'], { input: speaker });
    await kubectl(['wait', 'pod/speaker', '--for=condition=Ready', '--timeout=60s']);
    // A container runs a moment before its script does, and events come in their own time.
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

  const patient = 'trap exit TERM; sleep 1000 & wait';

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
