// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentImages } from '@etcd-operator/operator/testing/agent-image';
import type { ProxyTarget } from '@etcd-operator/operator/testing/doors';
import { ensurePart } from '@etcd-operator/tools';
import { buildPrograms } from '@etcd-operator/tools/image';
import { type S3Server, startVersitygw } from '@operator-parts/blob/testing';
import { loadConfig, type Pem } from '@operator-parts/kube';
import { busyboxImages, createImageTable, etcdImages, type Lab, startLab } from '@operator-parts/kube-lab';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The oldest is that of an adopted cluster. */
const minors = ['3.3', '3.4', '3.5', '3.6', '3.7'] as const;

/** What all runs share: a lab with real etcd, a real store, and the operators' program. Each run has a namespace of its own in it. */
export interface Ground extends AsyncDisposable {
  readonly lab: Lab;
  readonly s3: S3Server;
  /** How an operator's door reaches the API server. */
  readonly apiServer: ProxyTarget;
  /** The operators' program, bundled as the shipped ones are. */
  readonly program: string;
  /** Backups that are restored lie here, in a folder of each namespace. */
  readonly directory: string;
}

export async function openGround(): Promise<Ground> {
  const busybox = await ensurePart('busybox');
  const etcds = await Promise.all(minors.map((minor) => ensurePart(`etcd@${minor}`, { fromPath: false })));
  const images = createImageTable([etcdImages(etcds, busybox), busyboxImages(busybox), agentImages()]);
  const [lab, s3] = await Promise.all([startLab({ nodes: 3, images }), startVersitygw()]);
  const directory = await mkdtemp(join(tmpdir(), 'crash-points-'));
  const name = 'operator-child';
  const entry = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  await buildPrograms([{ name, entry }], { root, out: join(directory, 'program') });
  const config = await loadConfig({ env: {}, kubeconfig: lab.kubeconfigPath });
  const { certificateAuthority: ca, clientCertificate: cert, clientKey: key } = config;
  return {
    lab,
    s3,
    apiServer: { url: lab.url, tls: { ca: textOf(ca), cert: textOf(cert), key: textOf(key) } },
    program: join(directory, 'program', `${name}.mjs`),
    directory: join(directory, 'store'),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([lab.stop(), s3.stop()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function textOf(pem: Pem | undefined): string {
  return pem?.kind === 'data' ? pem.pem : '';
}
