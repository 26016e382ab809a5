// SPDX-License-Identifier: Apache-2.0
import type { Resource } from '../resource.ts';

/** A kind that a server serves, and its verbs. */
export interface ApiResource extends Resource {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** `status`, `scale`, ... */
  readonly subresources: readonly string[];
  /** True for the preferred version of the group. */
  readonly preferred: boolean;
}

/** All kinds of a server, and the group versions that failed. */
export interface ApiCatalogue {
  readonly resources: readonly ApiResource[];
  readonly unavailable: readonly string[];
}
