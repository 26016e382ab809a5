// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensurePart } from '@etcd-operator/tools';
import { hostImage } from '../images/host-image.ts';
import { createImageTable } from '../images/image-table.ts';
import { type Lab, startLab } from '../lab.ts';

const run = promisify(execFile);

/** The chart of this repository. */
export const chart = fileURLToPath(new URL('../../../../deploy/charts/etcd-operator', import.meta.url));

/** A lab with one node in which the chart's image contains the programs of a folder of this machine. */
export function startChartLab(directory: string): Promise<Lab> {
  const image = hostImage({ directories: [directory], entrypoint: [], env: { PATH: `${directory}:/usr/bin:/bin` } });
  const sets = [{ repositories: ['quay.io/etcd-operator/etcd-operator'], tags: { '*': image } }];
  return startLab({ nodes: 1, images: createImageTable(sets) });
}

/** Runs helm against a lab, in namespace etcd-system; resolves with its output. */
export type Helm = (...args: readonly string[]) => Promise<string>;

export async function openHelm(lab: Lab): Promise<Helm> {
  const program = (await ensurePart('helm')).programs['helm'] ?? 'helm';
  const env = { PATH: process.env['PATH'], HOME: join(lab.directory, 'home'), KUBECONFIG: lab.kubeconfigPath };
  return async (...args) => (await run(program, [...args, '--namespace', 'etcd-system'], { env })).stdout;
}
