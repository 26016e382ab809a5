// SPDX-License-Identifier: Apache-2.0
import type { Affinity, Container, Volume } from '@operator-parts/kube';
import { labels } from '../../api/names.ts';

const mebibyte = 1024 * 1024;

/**
 * Limits for a pod that restores a snapshot of this many bytes. Members that serve clients have priority: the pod requests almost no CPU
 * and uses at most one CPU.
 */
export function temporaryLimits(bytes: number): NonNullable<Container['resources']> {
  const memory = `${256 + Math.ceil(bytes / mebibyte)}Mi`;
  return {
    requests: { cpu: '10m', memory: '64Mi', 'ephemeral-storage': `${Math.ceil(bytes / mebibyte) + 64}Mi` },
    limits: { cpu: '1', memory, 'ephemeral-storage': `${dataMebibytes(bytes)}Mi` },
  };
}

/** Space for the database and for the file it was copied from, and for two WAL files of 64 MiB. */
function dataMebibytes(bytes: number): number {
  return 3 * Math.ceil(bytes / mebibyte) + 256;
}

export function sized(volume: Volume, bytes: number): Volume {
  return volume.emptyDir
    ? { ...volume, emptyDir: { ...volume.emptyDir, sizeLimit: `${dataMebibytes(bytes)}Mi` } }
    : volume;
}

/** Prefers a node without members of the cluster. */
export function apartFrom(cluster: string): Affinity {
  const term = {
    labelSelector: { matchLabels: { [labels.cluster]: cluster } },
    topologyKey: 'kubernetes.io/hostname',
  };
  return {
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] },
  };
}
