// SPDX-License-Identifier: Apache-2.0

import { defaultBusyboxName } from '@etcd-operator/tools/image';
import type { ContainerStatus, Pod, PodSpec } from '@operator-parts/kube';

/** The parts of a test's pod besides its name. */
export interface ShellPodOptions extends Partial<PodSpec> {
  readonly script?: string;
  readonly image?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Additional fields of its one container. */
  readonly container?: Readonly<Record<string, unknown>>;
}

/** Waits for the termination signal, and then exits at once. */
export const idle = 'trap "exit 0" TERM; while :; do sleep 1 & wait $!; done';

/** A pod with one container `main` that runs a busybox script. */
export function shellPod(name: string, options: ShellPodOptions = {}): object {
  const { script = idle, image = defaultBusyboxName, labels, annotations, container, ...spec } = options;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: {
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      ...spec,
      containers: [{ name: 'main', image, command: ['/bin/sh', '-c', script], ...container }],
    },
  };
}

export function isRunning(pod: Pod): boolean {
  return pod.status?.phase === 'Running' && mainStatus(pod)?.state?.running !== undefined;
}

export function isReady(pod: Pod): boolean {
  return (pod.status?.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
}

/** The status of a pod's first container. */
export function mainStatus(pod: Pod): ContainerStatus | undefined {
  return pod.status?.containerStatuses?.[0];
}
