// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { ensurePart } from '@etcd-operator/tools';
import { untilTrue } from '../until.ts';
import type { Scene } from './scene.ts';

export const root = join(import.meta.dirname, '..', '..', '..', '..');
export const chart = join(root, 'deploy', 'charts', 'etcd-operator');

/** Creates our CRDs, and waits until kubectl knows them, a moment after they are served. */
export async function defineKinds({ cluster, tryKubectl }: Scene): Promise<void> {
  const crds = join(root, 'deploy', 'crds');
  await cluster.kubectl(['apply', '--server-side', '--force-conflicts', '--kustomize', crds]);
  const ask = ['get', 'etcdclusters,etcdbackups,etcdrestores', '--output=name'];
  await untilTrue('kubectl knows our kinds', async () => (await tryKubectl(ask)).status === 0);
}

/** Runs helm in the cluster's network; rejects if it fails. */
export async function helm(scene: Scene, ...args: readonly string[]): Promise<string> {
  const program = (await ensurePart('helm')).programs['helm'] ?? 'helm';
  const { status, stdout, stderr } = await scene.cluster.run([program, ...args], { cwd: root });
  if (status !== 0) throw new Error(`helm ${args.join(' ')} ended with ${status}: ${stderr}`);
  return stdout;
}

/** Validates manifests strictly with a dry run. Resolves with all warnings and errors. */
export async function complaints(scene: Scene, manifests: string): Promise<readonly string[]> {
  const flags = ['--server-side', '--force-conflicts', '--dry-run=server', '--validate=strict', '--filename=-'];
  const { stdout, stderr } = await scene.tryKubectl(['apply', ...flags], { input: manifests });
  const isResult = (line: string) => line === '' || line.endsWith('serverside-applied (server dry run)');
  return `${stdout}\n${stderr}`.split('\n').filter((line) => !isResult(line));
}
