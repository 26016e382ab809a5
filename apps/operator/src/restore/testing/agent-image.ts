// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { type ImageSet, nodeProgramsImage } from '@operator-parts/kube-lab';

/** The parts of the operator's image that pods in a lab use: Node, and the agent at the path of the real image. */
export const agentImageName = 'quay.io/etcd-operator/etcd-operator:test';

const repository = resolve(import.meta.dirname, '../../../../..');

/** The agent from this source tree, started by the same Node as this process. */
export function agentImages(): ImageSet {
  const image = nodeProgramsImage({
    programs: { 'etcd-restore-agent': resolve(import.meta.dirname, '../../programs/etcd-restore-agent.ts') },
    directories: ['apps', 'packages', 'node_modules'].map((folder) => resolve(repository, folder)),
    user: 1000,
  });
  return { repositories: ['quay.io/etcd-operator/etcd-operator'], tags: { '*': image } };
}
