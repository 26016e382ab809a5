// SPDX-License-Identifier: Apache-2.0
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@etcd-operator/tools';
import { customResourceDefinitions, leases } from '@operator-parts/kube';
import { type Lab, startLab } from '@operator-parts/kube-lab';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { version } from '../version.ts';

const program = join(import.meta.dirname, 'etcd-operator.ts');

/** Runs the program without the environment variables of the test. */
function runToEnd(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8', timeout: 60_000 });
}

describe('the command line', () => {
  test.each([['-version'], ['--version'], ['-version=true']])('[19] %s needs no environment', (flag) => {
    const { status, stdout } = runToEnd([flag]);
    expect(status).toBe(0);
    expect(stdout).toContain(`etcd-operator ${version}`);
  });

  test.each([
    ['MY_POD_NAMESPACE', { MY_POD_NAME: 'a' }],
    ['MY_POD_NAME', { MY_POD_NAMESPACE: 'a' }],
  ])('[20] without %s it ends with an error that names it', (missing, env) => {
    const { status, stderr } = runToEnd([], env);
    expect(status).toBe(2);
    expect(stderr).toContain(`must set env ${missing}`);
  });

  test('metrics over TLS without a certificate are refused with what is missing', () => {
    const { status, stderr } = runToEnd(['-secure-metrics-addr=:8443'], { MY_POD_NAMESPACE: 'a', MY_POD_NAME: 'a' });
    expect(status).toBe(2);
    expect(stderr).toContain('flag -secure-metrics-addr needs -secure-metrics-certificate');
  });

  test('[18] every flag of CoreOS etcd-operator is understood, in one go', () => {
    const flags = ['-listen-addr=:0', '--chaos-level', '-1', '-create-crd=false', '-gc-interval=5m', '--cluster-wide'];
    const { status, stdout } = runToEnd([...flags, '-version']);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining(version) });
  });
});

describe('two replicas', () => {
  let lab: Lab;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    lab = await startLab({ nodes: 0 });
  });

  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await lab?.stop();
  });

  async function start(name: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
    const port = await freePort();
    const args = [program, '-kubeconfig', lab.kubeconfigPath, `-listen-addr=127.0.0.1:${port}`];
    const child = spawn(process.execPath, args, {
      env: { MY_POD_NAMESPACE: 'default', MY_POD_NAME: name },
      stdio: 'ignore',
    });
    children.push(child);
    return { child, url: `http://127.0.0.1:${port}` };
  }

  const lease = async () =>
    (await lab.client().resource(leases).list({ namespace: 'default' })).items.find(
      ({ metadata }) => metadata?.name === 'etcd-operator',
    )?.spec;

  test('[21] [22] one leads, both are ready, and the lease is handed over at once', async () => {
    const first = await start('first');
    await until('first leads', async () => (await lease())?.holderIdentity === 'first');
    expect(await lease()).toMatchObject({ leaseDurationSeconds: 15 });
    const second = await start('second');
    for (const { url } of [first, second]) {
      await until(`${url} is ready`, () => isOk(`${url}/readyz`));
      const metrics = await (await fetch(`${url}/metrics`)).text();
      expect(metrics).toContain('etcd_operator_controller_clusters');
    }
    expect((await lease())?.holderIdentity).toBe('first');
    first.child.kill('SIGTERM');
    const [code] = (await once(first.child, 'exit')) as [number | null];
    expect(code).toBe(0);
    // The lease is released, so that the other process does not wait for it to expire.
    expect((await lease())?.holderIdentity).not.toBe('first');
    await until('second leads', async () => (await lease())?.holderIdentity === 'second');
    second.child.kill('SIGTERM');
    await once(second.child, 'exit');
  });

  test('-install-crds adds what an older CRD lacks, for all kinds, and ends', async () => {
    const crds = lab.client().resource(customResourceDefinitions);
    const name = 'etcdrestores.etcd.database.coreos.com';
    const older = [{ op: 'remove', path: '/spec/versions/0/additionalPrinterColumns' }] as const;
    const install = async () => {
      const args = [program, '-kubeconfig', lab.kubeconfigPath, '-install-crds'];
      const child = spawn(process.execPath, args, {
        env: { MY_POD_NAMESPACE: 'default', MY_POD_NAME: 'hook' },
        stdio: 'ignore',
      });
      children.push(child);
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    };
    expect(await install()).toBe(0);
    const columns = async () => (await crds.get({ name })).spec.versions[0]?.additionalPrinterColumns;
    const before = await columns();
    expect(before?.length).toBeGreaterThan(0);
    await crds.patch({ name }, { type: 'json', operations: older });
    expect(await columns()).toBeUndefined();
    expect(await install()).toBe(0);
    expect(await columns()).toEqual(before);
    const { items } = await crds.list({});
    expect(items.map(({ spec }) => spec.names.kind).toSorted()).toEqual(['EtcdBackup', 'EtcdCluster', 'EtcdRestore']);
  });

  test('D5: a port that is taken ends the program with a sentence', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const address = holder.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { status, stderr } = await runBeside(port);
    await new Promise((resolve) => holder.close(resolve));
    expect(status).not.toBe(0);
    expect(stderr).toContain('EADDRINUSE');
  });

  /** Asynchronous, unlike `spawnSync`, because the lab that the program connects to runs in this process. */
  async function runBeside(port: number): Promise<{ readonly status: number | null; readonly stderr: string }> {
    const args = [program, '-kubeconfig', lab.kubeconfigPath, `-listen-addr=127.0.0.1:${port}`];
    const child = spawn(process.execPath, args, {
      env: { MY_POD_NAMESPACE: 'default', MY_POD_NAME: 'third' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.push(child);
    let stderr = '';
    child.stderr?.on('data', (data: Buffer) => {
      stderr += data.toString();
    });
    // Waits for `close` and not for `exit`, because the last output may arrive after the exit.
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, stderr };
  }
});

const isOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

async function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await ask())) {
    if (performance.now() > end) throw new Error(`${what}: not within 60 s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
