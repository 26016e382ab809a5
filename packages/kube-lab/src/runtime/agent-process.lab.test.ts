// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePart } from '@etcd-operator/tools';
import { silentLogger, systemClock } from '@operator-parts/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImageFiles } from '../images/image.ts';
import { AgentProcess } from './agent-process.ts';
import { createAgentRuntime } from './agent-runtime.ts';
import type { ContainerRuntime, ContainerSpec } from './container-runtime.ts';
import { checkPrerequisites } from './prerequisites.ts';

const { programs } = await ensurePart('etcd@3.6');
const resolvConf =
  'nameserver 10.96.0.10\nsearch default.svc.cluster.local svc.cluster.local cluster.local\noptions ndots:5\n';
const files: ImageFiles = {
  entries: [
    ...['etcd', 'etcdctl'].map((name) => ({
      kind: 'bind' as const,
      path: `/usr/local/bin/${name}`,
      source: programs[name] ?? '',
    })),
    { kind: 'file', path: '/etc/resolv.conf', text: resolvConf },
  ],
};

let directory: string;
let agent: AgentProcess;
let runtime: ContainerRuntime;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kube-lab-'));
  agent = await AgentProcess.start({
    prerequisites: await checkPrerequisites(),
    clock: systemClock,
    log: silentLogger,
  });
  runtime = createAgentRuntime(agent);
});

afterAll(async () => {
  await agent.stop();
  await rm(directory, { recursive: true, force: true });
});

test('three etcd members find each other by name', async () => {
  const members = ['a', 'b', 'c'].map((name, index) => ({ name, address: `10.244.1.${index + 2}` }));
  await agent.call('setRecords', {
    owner: 'test',
    records: members.map(({ name, address }) => ({
      type: 'A',
      name: `${name}.etcd.default.svc.cluster.local`,
      address,
    })),
  });
  const initial = members.map(({ name }) => `${name}=http://${name}.etcd:2380`).join(',');
  await Promise.all(
    members.map(async ({ name, address }) => {
      await runtime.createSandbox({ id: `pod-${name}`, addresses: [address] });
      const spec: ContainerSpec = {
        id: name,
        sandbox: `pod-${name}`,
        hostname: name,
        files,
        argv: [
          'etcd',
          '--name',
          name,
          '--data-dir=/data',
          '--listen-peer-urls=http://0.0.0.0:2380',
          '--listen-client-urls=http://0.0.0.0:2379',
          `--initial-advertise-peer-urls=http://${name}.etcd:2380`,
          `--advertise-client-urls=http://${name}.etcd:2379`,
          `--initial-cluster=${initial}`,
        ],
        env: {},
        workingDirectory: '/',
        mounts: [],
        readOnlyRoot: false,
        directory: join(directory, name),
        logFile: join(directory, `${name}.log`),
      };
      await runtime.startContainer(spec);
    }),
  );
  await expect
    .poll(
      async () =>
        (await runtime.exec('a', ['etcdctl', 'endpoint', 'health', '--cluster'], { timeoutMilliseconds: 5000 }))
          .exitCode,
    )
    .toBe(0);
  const target = {
    kind: 'http',
    scheme: 'http',
    host: '10.244.1.2',
    port: 2379,
    path: '/health',
    headers: [],
  } as const;
  expect((await runtime.probe(target, 60_000)).success).toBe(true);
});
