// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Authenticated users may do everything, and Pods need no ServiceAccount. */
export const unrestricted = [
  '--authorization-mode=AlwaysAllow',
  '--anonymous-auth=false',
  '--service-account-issuer=https://kubernetes.default.svc',
  '--disable-admission-plugins=ServiceAccount',
];

/** Writes keys and users below `folder`; returns the flags of every kube-apiserver on loopback. */
export async function ownFlags(
  folder: string,
  users: string,
  etcdPort: number,
  port: number,
): Promise<readonly string[]> {
  const certs = join(folder, 'certs');
  await mkdir(certs, { recursive: true });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = join(certs, 'service-account.key');
  await writeFile(key, privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  const tokens = join(certs, 'tokens.csv');
  await writeFile(tokens, users, { mode: 0o600 });
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--cert-dir=${certs}`,
    `--token-auth-file=${tokens}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
  ];
}
