// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { ensurePart } from '@etcd-operator/tools';
import {
  type Client,
  type Container,
  configMaps,
  type Pod,
  persistentVolumeClaims,
  pods,
  secrets,
  services,
} from '@operator-parts/kube';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { busyboxImages } from '../../images/busybox-image.ts';
import { nodeImage } from '../../images/host-image.ts';
import { createImageTable } from '../../images/image-table.ts';
import { type Lab, startLab } from '../../lab.ts';
import { logFile } from '../container/container-logs.ts';

let lab: Lab;
let client: Client;
const namespace = 'default';

/** Asks the API server for its identity, like a client in a pod. */
const callApi = `
  const { readFileSync } = require('node:fs');
  const read = (name) => readFileSync('/var/run/secrets/kubernetes.io/serviceaccount/' + name, 'utf8');
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  const headers = { authorization: 'Bearer ' + read('token'), 'content-type': 'application/json' };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const request = require('node:https').request({ host, port, path, method: 'POST', ca: read('ca.crt'), headers });
  request.on('response', async (response) => {
    let text = '';
    for await (const chunk of response) text += chunk;
    const { status } = JSON.parse(text);
    console.log(JSON.stringify({ status: response.statusCode, user: status?.userInfo?.username }));
  });
  request.end('{}');
`;

beforeAll(async () => {
  const hello = nodeImage({ directories: [], argv: ['-e', 'net.createServer((s) => s.end("hello\\n")).listen(8080)'] });
  const server = { repositories: ['hello-server'], tags: { latest: hello } };
  const caller = {
    repositories: ['api-caller'],
    tags: { latest: nodeImage({ directories: [], argv: ['-e', callApi] }) },
  };
  lab = await startLab({
    nodes: 2,
    timeFactor: 10,
    images: createImageTable([busyboxImages(await ensurePart('busybox')), caller, server]),
  });
  client = lab.client();
});

afterAll(() => lab?.stop());

function shell(script: string, change: Partial<Container> = {}): Container {
  return { name: 'main', image: 'busybox:1.28', command: ['sh', '-c', script], ...change };
}

function run(name: string, spec: Partial<NonNullable<Pod['spec']>>, metadata: Pod['metadata'] = {}): Promise<Pod> {
  return client.resource(pods).create({
    metadata: { name, namespace, ...metadata },
    spec: { restartPolicy: 'Never', containers: [], terminationGracePeriodSeconds: 1, ...spec },
  });
}

const pod = (name: string) => client.resource(pods).get({ namespace, name });

async function phase(name: string, wanted: string): Promise<Pod> {
  await expect.poll(async () => (await pod(name)).status?.phase, { interval: 20 }).toBe(wanted);
  return pod(name);
}

async function log(name: string, container = 'main'): Promise<string> {
  const found = await pod(name);
  const home = lab.nodes.find((node) => node.name === found.spec?.nodeName);
  const attempt = found.status?.containerStatuses?.[0]?.restartCount ?? 0;
  return readFile(logFile(`${lab.directory}/nodes/${home?.name}`, found, container, attempt), 'utf8');
}

async function output(name: string, spec: Partial<NonNullable<Pod['spec']>>): Promise<string> {
  await run(name, spec);
  const done = await phase(name, 'Succeeded');
  expect(done.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(0);
  return log(name);
}

describe('a container', () => {
  test('is process 1 in its own namespaces, with its hostname and address', async () => {
    const text = await output('world', { containers: [shell('echo $$$$; hostname; hostname -i; id -u; ps | wc -l')] });
    const { status } = await pod('world');
    expect(text.split('\n').slice(0, 4)).toEqual(['1', 'world', status?.podIP, '0']);
  });

  test('sees itself as the user it is declared to run as', async () => {
    const securityContext = { runAsUser: 1000, runAsGroup: 2000 };
    const mounts = { volumeMounts: [{ name: 'data', mountPath: '/data' }] };
    const text = await output('user', {
      containers: [shell('id -u; id -g; touch /data/x; stat -c %u /data/x', { securityContext, ...mounts })],
      volumes: [{ name: 'data', emptyDir: {} }],
    });
    expect(text).toBe('1000\n2000\n1000\n');
  });

  test('that exits shows its exit code and message', async () => {
    await run('fails', { containers: [shell('echo why > /dev/termination-log; exit 3')] });
    const { status } = await phase('fails', 'Failed');
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({
      exitCode: 3,
      reason: 'Error',
      message: 'why\n',
    });
  });

  test('of an unknown program is a start error', async () => {
    await run('missing', { containers: [{ name: 'main', image: 'busybox', command: ['no-such-thing'] }] });
    const { status } = await phase('missing', 'Failed');
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 128, reason: 'StartError' });
    expect(status?.containerStatuses?.[0]?.state?.terminated?.message).toContain(
      '"no-such-thing": executable file not found',
    );
  });

  test('is restarted in place on the same address, with its volume kept', async () => {
    const script = 'echo x >> /data/runs; [ $(wc -l < /data/runs) -ge 3 ] && sleep 1000; exit 1';
    await run('restarts', {
      restartPolicy: 'Always',
      containers: [shell(script, { volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
      volumes: [{ name: 'data', emptyDir: {} }],
    });
    await expect.poll(async () => (await pod('restarts')).status?.containerStatuses?.[0]?.restartCount).toBe(2);
    const first = (await pod('restarts')).status?.podIP;
    await expect.poll(async () => (await pod('restarts')).status?.containerStatuses?.[0]?.ready).toBe(true);
    expect((await pod('restarts')).status?.podIP).toBe(first);
  });

  test('that uses more memory than its limit is OOMKilled', async () => {
    const script = 'dd if=/dev/zero bs=64M count=1 2>/dev/null | tail -c 67108864 | (sleep 30; cat > /dev/null)';
    await run('hungry', { containers: [shell(script, { resources: { limits: { memory: '32Mi' } } })] });
    const { status } = await phase('hungry', 'Failed');
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  test('with a read-only root cannot write to it', async () => {
    const text = await output('readonly', {
      containers: [
        shell('touch /x 2>/dev/null || echo refused', { securityContext: { readOnlyRootFilesystem: true } }),
      ],
    });
    expect(text).toBe('refused\n');
  });
});

describe('volumes', () => {
  test('of Secrets and ConfigMaps hold their keys and follow changes', async () => {
    await client
      .resource(secrets)
      .create({ metadata: { namespace, name: 's' }, data: { key: Buffer.from('one').toString('base64') } });
    await client.resource(configMaps).create({ metadata: { namespace, name: 'c' }, data: { file: 'text' } });
    await run('files', {
      containers: [
        shell('cat /s/key /c/file; until grep -q two /s/key; do sleep 0.05; done; echo; cat /s/key', {
          volumeMounts: [
            { name: 's', mountPath: '/s' },
            { name: 'c', mountPath: '/c' },
          ],
        }),
      ],
      volumes: [
        { name: 's', secret: { secretName: 's' } },
        { name: 'c', configMap: { name: 'c' } },
      ],
    });
    await expect.poll(() => log('files').catch(() => '')).toContain('onetext');
    const data = { key: Buffer.from('two').toString('base64') };
    await client.resource(secrets).patch({ namespace, name: 's' }, { type: 'merge', patch: { data } });
    await phase('files', 'Succeeded');
    expect(await log('files')).toBe('onetext\ntwo');
  });

  test('of memory have a hard size', async () => {
    const text = await output('memory', {
      containers: [
        shell('dd if=/dev/zero of=/m/x bs=1024 count=2048 2>/dev/null || echo full', {
          volumeMounts: [{ name: 'm', mountPath: '/m' }],
        }),
      ],
      volumes: [{ name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } }],
    });
    expect(text).toBe('full\n');
  });

  test('that are claimed outlive the pod', async () => {
    await client.resource(persistentVolumeClaims).create({
      metadata: { namespace, name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    const volumeMounts = [{ name: 'data', mountPath: '/data' }];
    await output('writer', { containers: [shell('echo kept > /data/x', { volumeMounts })], volumes });
    await client.resource(pods).delete({ namespace, name: 'writer' });
    expect(await output('reader', { containers: [shell('cat /data/x', { volumeMounts })], volumes })).toBe('kept\n');
    const claim = await client.resource(persistentVolumeClaims).get({ namespace, name: 'data' });
    expect(claim).toMatchObject({
      spec: { storageClassName: 'standard' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' } },
    });
  });
});

describe('names and services', () => {
  test('lead to the API server, which knows the pod by its token', async () => {
    const text = await output('caller-of-api', { containers: [{ name: 'main', image: 'api-caller' }] });
    expect(JSON.parse(text)).toEqual({ status: 201, user: 'system:serviceaccount:default:default' });
  });

  test('lead from pod to pod, across nodes, by cluster IP and by name', async () => {
    const readinessProbe = { tcpSocket: { port: 8080 }, periodSeconds: 1 };
    const containers = [{ name: 'main', image: 'hello-server', readinessProbe }];
    await run('server', { nodeName: 'node-1', containers }, { labels: { app: 'server' } });
    await client.resource(services).create({
      metadata: { namespace, name: 'server' },
      spec: { clusterIP: '10.96.0.50', selector: { app: 'server' }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    await expect.poll(async () => (await pod('server')).status?.containerStatuses?.[0]?.ready).toBe(true);
    const { podIP } = (await pod('server')).status ?? {};
    // The Service reaches the pod a moment after it is ready.
    const socket = await vi.waitFor(() => lab.dial('server.default.svc', 80), { timeout: 60_000, interval: 50 });
    const text = await output('caller', {
      nodeName: 'node-2',
      containers: [shell(`nc ${podIP} 8080; nc server 80; nc server.default.svc.cluster.local 80`)],
    });
    expect(text).toBe('hello\nhello\nhello\n');
    let answer = '';
    for await (const chunk of socket.setEncoding('utf8')) answer += chunk as string;
    expect(answer).toBe('hello\n');
    await using forward = await lab.forward({ pod: 'server' }, 8080);
    let forwarded = '';
    for await (const chunk of connect(forward.port, forward.host).setEncoding('utf8')) forwarded += chunk as string;
    expect(forwarded).toBe('hello\n');
    await expect(lab.dial({ service: 'none' }, 80)).rejects.toMatchObject({ code: 'Unreachable' });
    await expect(lab.dial({ service: 'server' }, 80, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
  });
});
