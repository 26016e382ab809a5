// SPDX-License-Identifier: Apache-2.0
import { busyboxImages, createImageTable, etcdImages, type Lab, startLab } from '@etcd-operator/kube-lab';
import { type EtcdCluster, etcdClusters, podLogReader, runEtcdOperator } from '@etcd-operator/operator';
import { silentLogger, systemClock } from '@etcd-operator/ports';
import { ensurePart } from '@etcd-operator/tools';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommand } from './run-command.ts';

let lab: Lab;
let operator: Promise<void>;
const stop = new AbortController();

const example: EtcdCluster = {
  apiVersion: 'etcd.database.coreos.com/v1beta2',
  kind: 'EtcdCluster',
  metadata: { name: 'example', namespace: 'default' },
  spec: { size: 2 },
};

beforeAll(async () => {
  const [etcd, busybox] = await Promise.all([ensurePart('etcd@3.6', { fromPath: false }), ensurePart('busybox')]);
  lab = await startLab({ nodes: 2, images: createImageTable([etcdImages([etcd], busybox), busyboxImages(busybox)]) });
  operator = runEtcdOperator(
    {
      client: lab.client(),
      log: silentLogger,
      namespace: 'default',
      identity: 'test',
      leaderElection: false,
      readLog: podLogReader(lab.server.transport()),
      dial: ({ host, port }) => lab.dial(host, port),
      healthInterval: 1_000,
    },
    stop.signal,
  ).catch(() => undefined);
  const clusters = lab.client().resource(etcdClusters.resource);
  await eventually(() =>
    clusters.create(example).then(
      () => true,
      () => false,
    ),
  );
  await eventually(async () => {
    const { status } = await clusters.get({ namespace: 'default', name: 'example' });
    return status?.readySize === 2 && status.size === 2 && status.plan?.next?.length === 0;
  });
});
afterAll(async () => {
  stop.abort();
  await operator;
  await lab.stop();
});

async function eventually(ask: () => Promise<boolean>): Promise<void> {
  const end = systemClock.monotonic() + 60_000;
  while (!(await ask())) {
    if (systemClock.monotonic() > end) throw new Error('not within a minute');
    await systemClock.sleep(100);
  }
}

async function kubectlEtcd(line: string, file = '') {
  let [out, err] = ['', ''];
  const surface = {
    env: { KUBECONFIG: lab.kubeconfigPath },
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      err += text;
    },
    readFile: async () => file,
  };
  const status = await runCommand(line.split(' '), surface, stop.signal);
  return { status, out, err };
}

const file = (spec: object) => JSON.stringify({ ...example, metadata: { name: 'example' }, spec });

test('a person looks at a cluster, plans changes and moves its leader, all through the API server', async () => {
  const seen = await kubectlEtcd('status');
  expect(seen).toMatchObject({ status: 0, err: '' });
  expect(seen.out).toContain('EtcdCluster default/example   Running   2 of 2 ready');
  expect(seen.out).toMatch(/Leader +3\.6\.\d+ .* node-\d/);

  const listed = JSON.parse((await kubectlEtcd('members example -o json')).out) as {
    readonly linearizable: boolean;
    readonly members: readonly { readonly name: string; readonly role: string }[];
  };
  expect(listed.linearizable).toBe(true);
  const follower = listed.members.find(({ role }) => role === 'Follower')?.name ?? '';

  expect(await kubectlEtcd(`move-leader example ${follower}`)).toMatchObject({ status: 0, err: '' });
  expect((await kubectlEtcd(`move-leader example ${follower}`)).out).toBe(`${follower} leads already.\n`);
  expect((await kubectlEtcd('move-leader example nobody')).err).toContain('nobody is no healthy voter');
});

test('plan runs the real planner on the real cluster and changes nothing', async () => {
  const grown = await kubectlEtcd('plan -f more.yaml', file({ size: 3 }));
  expect(grown).toMatchObject({ status: 0, err: '' });
  expect(grown.out).toContain('spec.size: 2 -> 3');
  expect(grown.out).toContain('joinMember: example-');
  expect(grown.out).toContain('Quorum survives');

  expect(await kubectlEtcd('plan')).toMatchObject({ status: 0, out: expect.stringContaining('No steps.') });
  const refused = await kubectlEtcd('plan -f many.yaml', file({ size: 9 }));
  expect(refused).toMatchObject({ status: 2, err: expect.stringContaining('size must be between 1 and 7') });
  const far = await kubectlEtcd('plan -f far.yaml', file({ size: 2, version: '3.9.0' }));
  expect(far).toMatchObject({ status: 3, out: expect.stringContaining('Then the operator waits') });

  const { spec } = await lab.client().resource(etcdClusters.resource).get({ namespace: 'default', name: 'example' });
  expect(spec.size).toBe(2);
});

test('what is not there is named', async () => {
  expect(await kubectlEtcd('status nobody')).toMatchObject({
    status: 1,
    err: 'error: there is no EtcdCluster nobody in namespace default\n',
  });
  expect((await kubectlEtcd('status -n empty')).err).toBe('error: there is no EtcdCluster in namespace empty\n');
});
