// SPDX-License-Identifier: Apache-2.0
import type { Client } from '@etcd-operator/kube';
import type { Clock, Logger, Random } from '@etcd-operator/ports';
import type { EventRecorder } from './event-recorder.ts';
import type { SharedCaches } from './shared-caches.ts';

/** What every controller of the lab is given. */
export interface ControllerContext {
  readonly client: Client;
  readonly caches: SharedCaches;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Delays that are the controller's own are divided by it. */
  readonly timeFactor: number;
}

/** A running controller. */
export interface RunningController {
  close(): void;
}

/** Starts a controller. It works until it is closed. */
export type StartController = (context: ControllerContext) => RunningController;
