// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';

/** The status that a kubelet reports for a pod whose containers run and whose etcd serves. */
export function running({ metadata, spec }: Pod): NonNullable<Pod['status']> {
  const state = { running: { startedAt: '2026-01-01T00:00:00Z' } };
  return {
    phase: 'Running',
    podIP: '10.0.0.1',
    podIPs: [{ ip: '10.0.0.1' }],
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: (spec?.containers ?? []).map(({ name, image = '' }) => ({
      ...{ name, image, imageID: image, ready: true, started: true, restartCount: 0 },
      ...{ containerID: `lab://${metadata?.uid}/${name}`, state },
    })),
  };
}
