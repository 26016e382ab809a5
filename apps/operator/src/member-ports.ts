// SPDX-License-Identifier: Apache-2.0
import { clientPort, metricsPort, peerPort } from '@etcd-operator/etcd';
import { deliveryPort } from './restore/delivery/channel.ts';
import { snapshotPort } from './restore/objects/snapshot-pod.ts';

/** Every port that a member's pod may listen on; the operator connects to all but the peers' one. */
export const memberPorts = {
  client: clientPort,
  peer: peerPort,
  metrics: metricsPort,
  /** Of a stopped member that is started for a safety snapshot. */
  snapshot: snapshotPort,
  /** Of the agent that takes a restore's data. */
  delivery: deliveryPort,
} as const;
