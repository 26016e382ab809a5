// SPDX-License-Identifier: Apache-2.0
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runOrFail } from './run-program.ts';

/** The subject and purpose of a certificate. */
export interface CertificateRequest {
  /** Name of the files: `<name>.crt`, `<name>.key`. */
  readonly name: string;
  /** User name of a client, plain name of a server. */
  readonly commonName: string;
  /** Groups of a client. */
  readonly organization?: string;
  /** DNS names and addresses of a server. */
  readonly hosts?: readonly string[];
  /** True if the server also uses the certificate as a client, as members of etcd do. @default false */
  readonly isClientToo?: boolean;
}

/** Files of a certificate and its key. */
export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-sha256'];
const days = ['-days', '30'];

/** Creates a CA and certificates with the machine's openssl; only the owner can read the keys. */
export async function makeCertificates(directory: string, requests: readonly CertificateRequest[]): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const ca = certificateFiles(directory, 'ca');
  await runOrFail(
    ['openssl', 'req', '-x509', ...newKey, ...days, '-subj', '/CN=cluster-ca']
      .concat(['-addext', 'keyUsage=critical,keyCertSign,cRLSign,digitalSignature'])
      .concat(['-keyout', ca.key, '-out', ca.certificate]),
  );
  await Promise.all(requests.map((request) => issue(directory, request)));
  // Service account tokens have a separate signing key.
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'sec1', format: 'pem' });
  await writeFile(join(directory, 'service-account.key'), pem, { mode: 0o600 });
}

async function issue(directory: string, request: CertificateRequest): Promise<void> {
  const { name, commonName, organization, hosts = [], isClientToo = false } = request;
  const { certificate, key } = certificateFiles(directory, name);
  const ca = certificateFiles(directory, 'ca');
  const [demand, extensions] = [join(directory, `${name}.csr`), join(directory, `${name}.ext`)];
  const names = hosts.map((host) => (/^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`)).join(',');
  await writeFile(
    extensions,
    hosts.length > 0
      ? `subjectAltName=${names}\nextendedKeyUsage=serverAuth${isClientToo ? ',clientAuth' : ''}\n`
      : 'extendedKeyUsage=clientAuth\n',
  );
  const subject = organization === undefined ? `/CN=${commonName}` : `/O=${organization}/CN=${commonName}`;
  await runOrFail(['openssl', 'req', '-new', ...newKey, '-subj', subject, '-keyout', key, '-out', demand]);
  await runOrFail(
    ['openssl', 'x509', '-req', '-in', demand, '-CA', ca.certificate, '-CAkey', ca.key, ...days]
      .concat(['-set_serial', `0x${Buffer.from(name).toString('hex').slice(0, 30)}`])
      .concat(['-extfile', extensions, '-out', certificate]),
  );
}

export function certificateFiles(directory: string, name: string): CertificateFiles {
  return { certificate: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) };
}

/** Writes a self-contained kubeconfig for a client certificate. */
export async function writeKubeconfig(
  file: string,
  options: { readonly server: string; readonly certificates: string; readonly client: string },
): Promise<void> {
  const { certificate, key } = certificateFiles(options.certificates, options.client);
  const data = async (path: string) => (await readFile(path)).toString('base64');
  const ca = await data(certificateFiles(options.certificates, 'ca').certificate);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'cluster', cluster: { server: options.server, 'certificate-authority-data': ca } }],
    users: [
      {
        name: options.client,
        user: { 'client-certificate-data': await data(certificate), 'client-key-data': await data(key) },
      },
    ],
    contexts: [{ name: 'cluster', context: { cluster: 'cluster', user: options.client } }],
    'current-context': 'cluster',
  };
  await writeFile(file, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
}
