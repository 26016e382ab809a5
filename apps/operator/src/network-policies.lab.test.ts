// SPDX-License-Identifier: Apache-2.0
/**
 * The network policies, enforced between the pods of a lab: real members bootstrap, scale and are replaced behind them, and other pods
 * reach exactly what they are allowed to. The operator itself is not a pod here; a pod with its labels in its namespace represents it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NetworkPolicy } from '@etcd-operator/tools/deploy/testing';
import { exec, namespaces, pods } from '@operator-parts/kube';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { memberPorts } from './member-ports.ts';
import { EnforcedPolicies } from './testing/enforced-policies.ts';
import { OperatorLab } from './testing/operator-lab.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'deploy', 'network-policies');
const read = (file: string) => parse(readFileSync(join(folder, file), 'utf8')) as NetworkPolicy;
const ofMembers = read('members.yaml');
const policies: readonly NetworkPolicy[] = [
  { ...ofMembers, metadata: { ...ofMembers.metadata, namespace: 'default' } },
  read('operator-egress.yaml'),
];
const operatorNamespace = 'etcd-operator';

let ground: OperatorLab;

beforeAll(async () => {
  ground = await OperatorLab.start({ nodes: 2 });
  const client = ground.lab.client();
  await client.resource(namespaces).create({ metadata: { name: 'other' } });
  await client.resource(namespaces).create({ metadata: { name: 'monitoring', labels: { metrics: 'enabled' } } });
  await client.resource(namespaces).create({
    metadata: { name: operatorNamespace, labels: { 'kubernetes.io/metadata.name': operatorNamespace } },
  });
  for (const namespace of ['default', 'other', 'monitoring', operatorNamespace]) {
    const containers = [{ name: 'main', image: 'busybox', command: ['sleep', '100000'] }];
    const labels = namespace === operatorNamespace ? { name: 'etcd-operator' } : {};
    const metadata = { name: 'asker', namespace, labels };
    await client.resource(pods).create({ metadata, spec: { containers, terminationGracePeriodSeconds: 0 } });
    const isRunning = async () => (await client.resource(pods).get(metadata)).status?.phase === 'Running' || undefined;
    await ground.until(`asker of ${namespace}`, isRunning);
  }
  const serve = (port: number) => `httpd -p ${port} -h /bin`;
  const command = ['sh', '-c', `${Object.values(otherPorts).map(serve).join(' && ')} && sleep 100000`];
  await client.resource(pods).create({
    metadata: { name: 'store', namespace: 'monitoring' },
    spec: { containers: [{ name: 'main', image: 'busybox', command }], terminationGracePeriodSeconds: 0 },
  });
});
afterAll(() => ground?.[Symbol.asyncDispose]());

const storePod = () => ground.lab.client().resource(pods).get({ namespace: 'monitoring', name: 'store' });

const paths: Readonly<Record<number, string>> = {
  [memberPorts.client]: 'version',
  [memberPorts.peer]: 'version',
  [memberPorts.metrics]: 'metrics',
};

/** The ports of a member that a pod of a namespace can reach. */
async function reached(namespace: string, host: string, ports: readonly number[] = Object.keys(paths).map(Number)) {
  const transport = ground.lab.server.transport();
  const answers = ports.map(async (port) => {
    const command = ['timeout', '5', 'wget', '-q', '-O', '/dev/null', `http://${host}:${port}/${paths[port] ?? 'sh'}`];
    const code = await exec(transport, { namespace, name: 'asker' }, { command, stderr: () => undefined });
    return code === 0 ? [port] : [];
  });
  return (await Promise.all(answers)).flat();
}

const { client: clientPort, peer, metrics } = memberPorts;

/** Ports of a pod that is not a member, such as a store with TLS and one without. */
const otherPorts = { tls: 443, plain: 8080 };

test('members bootstrap, grow and are replaced behind the policy, and others reach what they may', async () => {
  await ground.create('open', { size: 1, version: '3.6.16' });
  await ground.settled('open');
  const addresses = async (cluster: string) =>
    (await ground.pods(cluster)).flatMap(({ status }) => (status?.podIP ? [status.podIP] : []));
  const [open = ''] = await addresses('open');
  // Without the policy, every pod reaches every port. The policy has to prevent that.
  for (const namespace of ['default', 'other', 'monitoring'])
    expect(await reached(namespace, open)).toEqual([clientPort, peer, metrics]);

  const ports = Object.values(memberPorts);
  await using enforced = await EnforcedPolicies.start(ground.lab, policies, [...ports, ...Object.values(otherPorts)]);
  await ground.create('closed', { size: 3, version: '3.6.16' });
  await ground.settled('closed', 240_000);
  const [victim] = await ground.pods('closed');
  await ground.deletePod(victim?.metadata?.name ?? '', 0);
  await ground.until('a new member', async () => {
    // Compared by UID, because the replacement may have the name of the replaced pod.
    const uids = (await ground.pods('closed')).map(({ metadata }) => metadata?.uid);
    return (uids.length === 3 && !uids.includes(victim?.metadata?.uid)) || undefined;
  });
  await ground.settled('closed', 240_000);

  await enforced.settle();
  const hosts = [open, ...(await addresses('closed'))];
  const fromAll = (namespace: string) => Promise.all(hosts.map((host) => reached(namespace, host)));
  expect(hosts).toHaveLength(4);
  expect(await fromAll('default')).toEqual(hosts.map(() => [clientPort]));
  expect(await fromAll('other')).toEqual(hosts.map(() => []));
  expect(await fromAll('monitoring')).toEqual(hosts.map(() => [metrics]));
  const service = 'closed-client.default.svc.cluster.local';
  expect(await reached('default', service, [clientPort])).toEqual([clientPort]);
  expect(await reached('other', service, [clientPort])).toEqual([]);
  expect(await fromAll(operatorNamespace)).toEqual(hosts.map(() => [clientPort, metrics]));
  expect(await reached(operatorNamespace, service, [clientPort])).toEqual([clientPort]);
  const store = await ground.until('the backup store', async () => (await storePod()).status?.podIP);
  expect(await reached('other', store, Object.values(otherPorts))).toEqual([443, 8080]);
  expect(await reached(operatorNamespace, store, Object.values(otherPorts))).toEqual([443]);
});
