// SPDX-License-Identifier: Apache-2.0
import type { Client, PersistentVolume } from '@operator-parts/kube';
import type { Clock, Logger, Random } from '@operator-parts/ports';
import type { EventRecorder } from '../controllers/event-recorder.ts';
import type { ImageTable } from '../images/image-table.ts';
import type { Addresses, AddressPool } from '../network/addresses.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { BackOffPolicy } from './container/back-off.ts';
import type { ConfigSource } from './environment/config-source.ts';

/** What all parts of one node share. */
export interface NodeContext {
  readonly nodeName: string;
  readonly hostIps: Addresses;
  /** Folder of the node on the host's disk. */
  readonly directory: string;
  readonly runtime: ContainerRuntime;
  readonly images: ImageTable;
  readonly addresses: AddressPool;
  readonly config: ConfigSource;
  readonly client: Client;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly backOff: BackOffPolicy;
  /** The kubelet's own delays are divided by this number; delays in a pod's spec are not. */
  readonly timeFactor: number;
  /** False while the node is disconnected from the API server. */
  isConnected(): boolean;
  /** The folder on the host with the data of a volume; undefined if the volume does not belong to this lab. */
  diskPath(volume: PersistentVolume): string | undefined;
}
