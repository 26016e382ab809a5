// SPDX-License-Identifier: Apache-2.0
import type { Client } from '@operator-parts/kube';
import type { Clock, Logger, Random } from '@operator-parts/ports';
import type { EventRecorder } from './event-recorder.ts';
import type { SharedCaches } from './shared-caches.ts';

/** What every controller of the lab receives. */
export interface ControllerContext {
  readonly client: Client;
  readonly caches: SharedCaches;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The controller's own delays are divided by this number. */
  readonly timeFactor: number;
}

/** A running controller. */
export interface RunningController {
  close(): void;
}

/** Starts a controller. It runs until it is closed. */
export type StartController = (context: ControllerContext) => RunningController;
