// SPDX-License-Identifier: Apache-2.0
/** A cluster whose members speak TLS with each other and with clients, under the secrets and keys that the original names. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EtcdError } from '@etcd-operator/etcd';
import { addresses, certificateFiles, makeCertificates } from '@etcd-operator/tools/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcdPods, type Trust, withMember } from './testing/etcd-view.ts';
import { adminClient } from './testing/kube-client.ts';
import { OperatorScene, selector } from './testing/operator-scene.ts';

const name = 'secured';
let here: OperatorScene;
let folder: string;
let trust: Trust;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'etcd-operator-tls-'));
  here = await OperatorScene.open('tls');
  const service = `${name}.${here.scene.namespace}.svc`;
  const client = `${name}-client.${here.scene.namespace}.svc`;
  // A wildcard must be the end of the name that an address leads back to, which has the cluster's domain (operator rule 18).
  const hosts = [
    `*.${service}`,
    `*.${service}.${addresses.domain}`,
    client,
    `${client}.${addresses.domain}`,
    'localhost',
  ];
  await makeCertificates(folder, [
    { name: 'peer', commonName: 'peer', hosts, isClientToo: true },
    { name: 'server', commonName: 'server', hosts, isClientToo: true },
    { name: 'etcd-client', commonName: 'client' },
  ]);
  await createSecrets();
  const { certificate, key } = certificateFiles(folder, 'etcd-client');
  const tls = { ca: await read(caFile()), cert: await read(certificate), key: await read(key) };
  trust = { tls, serverName: `${client}.${addresses.domain}` };
  here.trust(name, trust);
});

afterAll(async () => {
  await here?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const caFile = () => certificateFiles(folder, 'ca').certificate;
const read = (file: string) => readFile(file, 'utf8');

async function createSecrets(): Promise<void> {
  for (const [secret, role] of [
    ['etcd-peer-tls', 'peer'],
    ['etcd-server-tls', 'server'],
    ['etcd-client-tls', 'etcd-client'],
  ] as const) {
    const { certificate, key } = certificateFiles(folder, role);
    const files = [`${role}.crt=${certificate}`, `${role}.key=${key}`, `${role}-ca.crt=${caFile()}`];
    await here.scene.kubectl('create', 'secret', 'generic', secret, ...files.map((file) => `--from-file=${file}`));
  }
}

test('comes up, heals, and speaks to nobody without a certificate', async () => {
  const TLS = {
    static: {
      member: { peerSecret: 'etcd-peer-tls', serverSecret: 'etcd-server-tls' },
      operatorSecret: 'etcd-client-tls',
    },
  };
  await using _cluster = await here.threeMembers(name, { TLS });
  await using admin = await adminClient(here.scene.cluster);
  const [first] = await etcdPods(admin.client, here.scene.namespace, selector(name));
  const host = first?.status?.podIP ?? '';
  await expect(withMember(host, ({ maintenance }) => maintenance.status())).rejects.toBeInstanceOf(EtcdError);
  const stranger: Trust = { ...trust, tls: { ca: trust.tls.ca } };
  await expect(withMember(host, ({ maintenance }) => maintenance.status(), stranger)).rejects.toBeInstanceOf(EtcdError);
  const { version } = await withMember(host, ({ maintenance }) => maintenance.status(), trust);
  expect(version).toBe('3.6.16');
  await here.scene.kubectl('delete', 'pod', first?.metadata?.name ?? '');
  await here.untilReplaced(name, 3, first ?? {});
});
