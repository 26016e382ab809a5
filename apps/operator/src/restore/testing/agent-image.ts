// SPDX-License-Identifier: Apache-2.0
import { resolve } from 'node:path';
import { type ImageSet, nodeProgramsImage } from '@etcd-operator/kube-lab';

/** The operator's image in a lab, as far as pods use it: Node, and the agent where the real image has it. */
export const agentImageName = 'quay.io/etcd-operator/etcd-operator:test';

const repository = resolve(import.meta.dirname, '../../../../..');

/** The agent as it stands here, started by this very Node. */
export function agentImages(): ImageSet {
  const image = nodeProgramsImage({
    programs: { 'etcd-restore-agent': resolve(import.meta.dirname, '../../programs/etcd-restore-agent.ts') },
    directories: ['apps', 'packages', 'node_modules'].map((folder) => resolve(repository, folder)),
    user: 1000,
  });
  return { repositories: ['quay.io/etcd-operator/etcd-operator'], tags: { '*': image } };
}
