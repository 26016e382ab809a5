// SPDX-License-Identifier: Apache-2.0
import type { Desired } from '../../desired.ts';
import type { ContainerFacts, MemberPod, MemberVolume } from '../../observation.ts';

/** A spec with its defaults: three members of 3.6 without volumes, unless overridden. */
export function desiredOf(overrides: Partial<Desired> = {}): Desired {
  const version = overrides.version ?? '3.6.16';
  const repository = overrides.repository ?? 'quay.io/coreos/etcd';
  return {
    size: 3,
    version,
    repository,
    image: `${repository}:v${version}`,
    storage: 'emptyDir',
    peerTLS: false,
    clientTLS: false,
    clusterDomain: '',
    podDisruptionBudget: true,
    updatePolicy: 'OnNextPod',
    replaceAfter: 120_000,
    quorumLoss: 'Manual',
    recoverAfter: 600_000,
    optionProblems: [],
    ...overrides,
  };
}

/** A container that has not been created yet. */
export const noContainer: ContainerFacts = {
  id: '',
  state: 'waiting',
  reason: 'ContainerCreating',
  message: '',
  startedAt: 0,
  runningSince: 0,
  restarts: 0,
  lastExit: undefined,
};

/** A pod of this cluster that looks healthy; overrides change what the test needs. */
export function podOf(overrides: Partial<MemberPod> & Pick<MemberPod, 'name'>): MemberPod {
  return {
    uid: `uid-${overrides.name}`,
    resourceVersion: '1',
    ownership: 'ours',
    incarnation: 1,
    clusterId: '',
    memberId: '',
    boot: 'cleared',
    bootPeers: [],
    freshVolume: false,
    markedVoter: false,
    terminating: false,
    phase: 'Running',
    ready: false,
    createdAt: 0,
    seenSince: 0,
    node: `node-of-${overrides.name}`,
    ip: '10.0.0.1',
    image: 'quay.io/coreos/etcd:v3.6.16',
    version: '3.6.16',
    previousVersion: '',
    previousImage: '',
    previousContainer: '',
    peerTLS: false,
    clientTLS: false,
    adopted: false,
    data: 'emptyDir',
    container: noContainer,
    drift: [],
    snapshotCount: '',
    ...overrides,
  };
}

export function volumeOf(overrides: Partial<MemberVolume> & Pick<MemberVolume, 'name'>): MemberVolume {
  return {
    uid: `uid-${overrides.name}`,
    ownership: 'ours',
    incarnation: 1,
    clusterId: '',
    memberId: '',
    version: '',
    previousVersion: '',
    tls: undefined,
    adopted: false,
    terminating: false,
    phase: 'Bound',
    ...overrides,
  };
}
