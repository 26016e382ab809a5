// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Certificate } from '../admission/certificate.ts';

/** A certificate for loopback that vouches for itself, made by the openssl on the machine. */
export function selfSigned(commonName: string): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'self-signed-'));
  try {
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')];
    const names = 'subjectAltName=DNS:localhost,IP:127.0.0.1';
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const args = ['req', ...kind, '-subj', `/CN=${commonName}`, '-addext', names, '-keyout', key, '-out', cert];
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
