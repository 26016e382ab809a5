// SPDX-License-Identifier: Apache-2.0
/** All subjects of the suite, in the order in which they are printed. */
import type { Subject } from '../trial.ts';
import { deletion } from './deletion.ts';
import { expiredHistory } from './expired-history.ts';
import { generateName } from './generate-name.ts';
import { metadata } from './metadata.ts';
import { objects } from './objects.ts';
import { paging } from './paging.ts';
import { resourceVersions } from './resource-versions.ts';
import { selectors } from './selectors.ts';
import { watching } from './watching.ts';

export const subjects: readonly Subject[] = [
  objects,
  metadata,
  generateName,
  deletion,
  selectors,
  paging,
  resourceVersions,
  watching,
  expiredHistory,
];
