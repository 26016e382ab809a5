// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import type { Finding } from './finding.ts';

/** A number of restarts that is unlikely by chance. */
const manyRestarts = 5;

/** The problems of a cluster's pods according to Kubernetes. */
export function podFindings(pods: readonly Pod[]): readonly Finding[] {
  return pods.flatMap((pod) => {
    const { name = '', namespace = '' } = pod.metadata ?? {};
    const about = { object: `pod/${name}`, namespace };
    return [...unscheduled(pod), ...waiting(pod), ...restarting(pod), ...terminating(pod)].map((found) => ({
      ...about,
      ...found,
    }));
  });
}

type Found = Omit<Finding, 'object' | 'namespace'>;

function unscheduled({ status }: Pod): readonly Found[] {
  const found = status?.conditions?.find(({ type, status: value }) => type === 'PodScheduled' && value === 'False');
  if (!found) return [];
  const todo = 'Free resources on a node, or change affinity, tolerations or resources in spec.pod of the EtcdCluster.';
  return [{ urgency: 'soon', what: 'Pending: no node fits the pod', why: found.message ?? '', todo }];
}

const remedies: Readonly<Record<string, string>> = {
  ErrImagePull:
    'Check spec.repository and spec.version, or spec.image, and check that the node can pull from that registry.',
  ImagePullBackOff:
    'Check spec.repository and spec.version, or spec.image, and check that the node can pull from that registry.',
  CreateContainerConfigError: 'Create the Secret or ConfigMap that the message names.',
};

function waiting({ metadata, status }: Pod): readonly Found[] {
  return (status?.containerStatuses ?? []).flatMap(({ name, state }) => {
    const { reason = '', message = '' } = state?.waiting ?? {};
    if (reason === '' || reason === 'ContainerCreating' || reason === 'PodInitializing') return [];
    const todo = remedies[reason] ?? `Read the container logs: kubectl logs ${metadata?.name} -c ${name} --previous`;
    return [{ urgency: 'soon', what: `Container ${name} waits: ${reason}`, why: message, todo }];
  });
}

function restarting({ metadata, status }: Pod): readonly Found[] {
  return (status?.containerStatuses ?? [])
    .filter(({ restartCount, state }) => restartCount >= manyRestarts && state?.waiting === undefined)
    .map(({ name, restartCount, lastState }) => {
      const { reason = 'unknown', exitCode } = lastState?.terminated ?? {};
      const why = `The container has restarted ${restartCount} times. Reason of the last restart: ${reason}${exitCode === undefined ? '' : `, exit code ${exitCode}`}.`;
      const todo = `Read the container logs from before the restart: kubectl logs ${metadata?.name} -c ${name} --previous`;
      return { urgency: 'later', what: `Container ${name} restarts often`, why, todo };
    });
}

function terminating({ metadata, spec }: Pod): readonly Found[] {
  if (metadata?.deletionTimestamp === undefined) return [];
  const todo = `Wait until node ${spec?.nodeName ?? ''} has stopped the pod. If the node is permanently gone, see runbook node-gone.`;
  return [
    {
      urgency: 'later',
      what: 'Terminating',
      why: `The grace period of the pod ends at ${metadata.deletionTimestamp}.`,
      todo,
    },
  ];
}
