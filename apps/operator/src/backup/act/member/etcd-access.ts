// SPDX-License-Identifier: Apache-2.0
import type { Login, TlsMaterial } from '@operator-parts/etcd';
import type { EtcdBackupSpec } from '../../../api/etcd-backup.ts';
import type { ReadSecret, SecretData } from '../../../storage/secret-reader.ts';
import { BackupError } from '../../backup-fault.ts';

/** Certificates and login for the members. */
export interface EtcdAccess {
  readonly tls: TlsMaterial | undefined;
  readonly login: Login | undefined;
  /** The Secret that the login was read from. */
  readonly loginSecret?: string;
}

const tlsKeys = [
  { cert: 'etcd-client.crt', key: 'etcd-client.key', ca: 'etcd-client-ca.crt' },
  { cert: 'tls.crt', key: 'tls.key', ca: 'ca.crt' },
] as const;

/** Reads certificates and login from the Secrets that the spec names. One Secret may hold both: `username` beside the certificates. */
export async function etcdAccess(spec: EtcdBackupSpec, readSecret: ReadSecret): Promise<EtcdAccess> {
  const { clientTLSSecret, auth } = spec;
  const certificates = clientTLSSecret ? await named(readSecret, clientTLSSecret) : undefined;
  const tls = certificates && clientTLSSecret ? materialOf(certificates, clientTLSSecret) : undefined;
  const login = auth?.secret ? await loginOf(readSecret, auth.secret) : optionalLogin(certificates);
  const loginSecret = auth?.secret || clientTLSSecret;
  return { tls, login, ...(login && loginSecret && { loginSecret }) };
}

function materialOf(data: SecretData, name: string): TlsMaterial {
  for (const keys of tlsKeys) {
    const [cert, key, ca] = [data[keys.cert], data[keys.key], data[keys.ca]];
    if (cert && key && ca) return { cert, key, ca };
  }
  const wanted = tlsKeys.map((keys) => Object.values(keys).join(', ')).join(' or ');
  throw new BackupError('lasting', 'SecretInvalid', `secret ${name} must have the keys ${wanted}`);
}

async function loginOf(readSecret: ReadSecret, name: string): Promise<Login> {
  const login = optionalLogin(await named(readSecret, name));
  if (!login)
    throw new BackupError('lasting', 'SecretInvalid', `secret ${name} must have the keys username and password`);
  return login;
}

function optionalLogin(data: SecretData | undefined): Login | undefined {
  const [username, password] = [data?.['username'], data?.['password']];
  return username && password ? { name: username, password } : undefined;
}

async function named(readSecret: ReadSecret, name: string): Promise<SecretData> {
  const data = await readSecret(name);
  if (!data) throw new BackupError('lasting', 'SecretMissing', `secret ${name} does not exist`);
  return data;
}
