// SPDX-License-Identifier: Apache-2.0
import type { SourceFacts } from '../observation.ts';

/** What a model restores from, once it was read. */
export const modelSource: SourceFacts = {
  path: 'b/k',
  bytes: 4096,
  sha256: 'ab',
  revision: 40,
  storageVersion: undefined,
  authEnabled: false,
  verified: 'Embedded',
  cluster: { name: 'c', size: 3, version: '3.6.16' },
};

/** The source before it was read. */
export const pendingSource: SourceFacts = { ...modelSource, sha256: undefined, verified: 'Pending' };

/** A running cluster, before and after it was copied. */
export const liveSource: SourceFacts = {
  ...modelSource,
  path: 'etcdcluster/origin',
  sha256: undefined,
  verified: 'Live',
};
export const copiedSource: SourceFacts = { ...liveSource, sha256: 'cd', bytes: 8192 };
