// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestAuthority } from '@etcd-operator/tools';
import type { EtcdProcess, StartOptions } from '@operator-parts/etcd/testing';
import type { BackupLab } from '../../testing/backup-lab.ts';

/** A member with TLS, and the flags that etcd's own tools need to connect to it. */
export interface SecureMember {
  readonly member: EtcdProcess;
  readonly flags: readonly string[];
}

/** Starts a member with TLS that accepts only clients with a certificate of this authority. */
export async function secureMember(
  ground: BackupLab,
  authority: TestAuthority,
  options: StartOptions = {},
): Promise<SecureMember> {
  const { cert, key } = await authority.issue({ names: ['127.0.0.1'] });
  const directory = await mkdtemp(join(ground.etcds.directory, 'tls-'));
  const file = (name: string) => join(directory, name);
  await Promise.all([
    writeFile(file('s.crt'), cert),
    writeFile(file('s.key'), key),
    writeFile(file('ca'), authority.ca),
  ]);
  const args = [
    `--cert-file=${file('s.crt')}`,
    `--key-file=${file('s.key')}`,
    `--trusted-ca-file=${file('ca')}`,
    '--client-cert-auth',
  ];
  const member = await ground.etcd({ ...options, tls: { args, material: { ca: authority.ca, cert, key } } });
  return { member, flags: [`--cert=${file('s.crt')}`, `--key=${file('s.key')}`, `--cacert=${file('ca')}`] };
}
