// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of a test, made by the openssl on the machine. */
export interface TestAuthority {
  readonly ca: string;
  issue(subject: string, extensions: string): Pair;
  server(...names: readonly string[]): Pair;
  client(commonName: string): Pair;
}

function openssl(...args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

export function createTestAuthority(name = 'test-ca'): TestAuthority {
  const authority = inFolder((folder) => {
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
    newKey(key);
    openssl('req', '-x509', '-new', '-key', key, '-subj', `/CN=${name}`, '-days', '30', '-out', cert);
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  });
  const issue = (subject: string, extensions: string) =>
    inFolder((folder) => signed(folder, authority, subject, extensions));
  return {
    ca: authority.cert,
    issue,
    server: (...names) => {
      const list = names.map((host) => (/^[\d.]+$/.test(host) ? `IP:${host}` : `DNS:${host}`)).join(',');
      return issue('/CN=server', `subjectAltName=${list}\nextendedKeyUsage=serverAuth\n`);
    },
    client: (commonName) => issue(`/CN=${commonName}`, 'extendedKeyUsage=clientAuth\n'),
  };
}

function signed(folder: string, authority: Pair, subject: string, extensions: string): Pair {
  const path = (file: string) => join(folder, file);
  writeFileSync(path('ca-key'), authority.key, { mode: 0o600 });
  writeFileSync(path('ca-cert'), authority.cert);
  writeFileSync(path('extensions'), extensions);
  newKey(path('key'));
  openssl('req', '-new', '-key', path('key'), '-subj', subject, '-out', path('request'));
  const from = ['-in', path('request'), '-CA', path('ca-cert'), '-CAkey', path('ca-key')];
  openssl('x509', '-req', ...from, '-days', '30', '-extfile', path('extensions'), '-out', path('cert'));
  return { key: readFileSync(path('key'), 'utf8'), cert: readFileSync(path('cert'), 'utf8') };
}

function newKey(path: string): void {
  openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', path);
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'kube-test-ca-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
