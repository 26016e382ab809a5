// SPDX-License-Identifier: Apache-2.0
import type { Resource } from '../resource.ts';

/** A kind that a server serves, and what it lets do with it. */
export interface ApiResource extends Resource {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** `status`, `scale`, ... */
  readonly subresources: readonly string[];
  /** True in the version that the server prefers for the group. */
  readonly preferred: boolean;
}

/** All that a server serves, and the group versions that it could not tell about just now. */
export interface ApiCatalogue {
  readonly resources: readonly ApiResource[];
  readonly unavailable: readonly string[];
}
