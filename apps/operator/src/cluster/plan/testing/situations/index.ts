// SPDX-License-Identifier: Apache-2.0
/**
 * The planner's table: named situations, the observation in each, and the steps that must follow from the rules. The rows are the
 * specification. `vocabulary.ts` has the functions to write them with; the other files have one subject each.
 */
import { recoveries } from '../../quorum/testing/recoveries.ts';
import { adoption } from './adoption.ts';
import { bootstrap } from './bootstrap.ts';
import { corruption } from './corruption.ts';
import { drift } from './drift.ts';
import { evidence } from './evidence.ts';
import { heal } from './heal.ts';
import { identity } from './identity.ts';
import { quorum } from './quorum.ts';
import { repair } from './repair.ts';
import { restore } from './restore.ts';
import { scale } from './scale.ts';
import { services } from './services.ts';
import { unmanaged } from './unmanaged.ts';
import { upgrade } from './upgrade.ts';
import { versionPaths } from './version-paths.ts';
import type { Row } from './vocabulary.ts';
import { withheld } from './withheld.ts';

/** All rows, by subject. */
export const situations: Readonly<Record<string, readonly Row[]>> = {
  identity,
  bootstrap,
  heal,
  evidence,
  repair,
  scale,
  upgrade,
  versionPaths,
  drift,
  corruption,
  quorum,
  recoveries,
  adoption,
  unmanaged,
  services,
  withheld,
  restore,
};
