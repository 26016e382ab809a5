// SPDX-License-Identifier: Apache-2.0
import { clientPort, metricsPort, peerPort } from '@operator-parts/etcd';
import { deliveryPort } from './restore/delivery/channel.ts';
import { snapshotPort } from './restore/objects/snapshot-pod.ts';

/** Every port that a member's pod may listen on. The operator connects to all of them except the peer port. */
export const memberPorts = {
  client: clientPort,
  peer: peerPort,
  metrics: metricsPort,
  /** The port of a stopped member that is started for a safety snapshot. */
  snapshot: snapshotPort,
  /** The port of the agent that receives the data of a restore. */
  delivery: deliveryPort,
} as const;
