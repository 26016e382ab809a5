// SPDX-License-Identifier: Apache-2.0
import type { Clusters } from './clusters.ts';
import type { Scene } from './scene.ts';

/** What a user does, and what there was before. */
export interface Workload {
  readonly name: string;
  /** Does a client write all the time? */
  readonly client: boolean;
  /** Makes what there is before writes count. Nothing is disturbed meanwhile. */
  readonly prepare?: (scene: Scene, clusters: Clusters) => Promise<void>;
  /** Does everything, and resolves when the operator has ended its part. */
  readonly act: (scene: Scene, clusters: Clusters) => Promise<void>;
  /** More lines of the end state. */
  readonly also?: (scene: Scene, clusters: Clusters) => Promise<readonly string[]>;
}
