// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addresses, certificateFiles, makeCertificates } from '@etcd-operator/tools/cluster';
import type { Trust } from './scenes/etcd-view.ts';
import type { Scene } from './scenes/scene.ts';

/** The `spec.TLS` of an EtcdCluster with the secrets of `secureCluster`. */
export const staticTls = {
  static: {
    member: { peerSecret: 'etcd-peer-tls', serverSecret: 'etcd-server-tls' },
    operatorSecret: 'etcd-client-tls',
  },
} as const;

const secrets = [
  ['etcd-peer-tls', 'peer'],
  ['etcd-server-tls', 'server'],
  ['etcd-client-tls', 'etcd-client'],
] as const;

/**
 * Creates certificates for a cluster with this name, and the secrets with the names and keys of CoreOS etcd-operator.
 */
export async function secureCluster(scene: Scene, name: string): Promise<Trust> {
  const service = `${name}.${scene.namespace}.svc`;
  const client = `${name}-client.${scene.namespace}.svc`;
  // A wildcard must match the end of the reverse DNS name of an address, which contains the cluster's domain (operator
  // rule 18).
  const wild = [`*.${service}`, `*.${service}.${addresses.domain}`];
  const hosts = [...wild, client, `${client}.${addresses.domain}`, 'localhost'];
  const folder = await mkdtemp(join(tmpdir(), 'etcd-operator-tls-'));
  try {
    await makeCertificates(folder, [
      { name: 'peer', commonName: 'peer', hosts, isClientToo: true },
      { name: 'server', commonName: 'server', hosts, isClientToo: true },
      { name: 'etcd-client', commonName: 'client' },
    ]);
    await createSecrets(scene, folder);
    const { certificate, key } = certificateFiles(folder, 'etcd-client');
    const tls = { ca: await read(caFile(folder)), cert: await read(certificate), key: await read(key) };
    return { tls, serverName: `${client}.${addresses.domain}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function createSecrets(scene: Scene, folder: string): Promise<void> {
  for (const [secret, role] of secrets) {
    const { certificate, key } = certificateFiles(folder, role);
    const files = [`${role}.crt=${certificate}`, `${role}.key=${key}`, `${role}-ca.crt=${caFile(folder)}`];
    await scene.kubectl('create', 'secret', 'generic', secret, ...files.map((file) => `--from-file=${file}`));
  }
}

const caFile = (folder: string) => certificateFiles(folder, 'ca').certificate;
const read = (file: string) => readFile(file, 'utf8');
