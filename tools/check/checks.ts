// SPDX-License-Identifier: Apache-2.0

import type { Check } from './check.ts';
import { biome } from './code/biome.ts';
import { deadCode, testOnlyCode } from './code/dead-code.ts';
import { fileSize } from './code/file-size.ts';
import { folderSize } from './code/folder-size.ts';
import { hiddenInputs } from './code/hidden-inputs.ts';
import { layers } from './code/layers.ts';
import { leftovers } from './code/leftovers.ts';
import { licenseHeader } from './code/license-header.ts';
import { names } from './code/names.ts';
import { oxlint } from './code/oxlint.ts';
import { superLinear } from './code/super-linear.ts';
import { types } from './code/types.ts';
import { baseImages } from './files/base-images.ts';
import { generated } from './files/generated.ts';
import { licences } from './files/licences.ts';
import { lockfile } from './files/lockfile.ts';
import { manifests } from './files/manifests.ts';
import { workflows } from './files/workflows.ts';
import { architecture } from './texts/architecture.ts';
import { checklist } from './texts/checklist.ts';
import { citations } from './texts/citations.ts';
import { faultsAreCaused } from './texts/fault-tests.ts';
import { links } from './texts/links.ts';
import { mutantsFit } from './texts/mutants.ts';
import { namedTests } from './texts/named-tests.ts';
import { vocabulary } from './texts/vocabulary.ts';

/** All checks of `npm run check`, slowest first. */
export const checks: readonly Check[] = [
  deadCode,
  testOnlyCode,
  types,
  oxlint,
  biome,
  generated,
  layers,
  hiddenInputs,
  leftovers,
  superLinear,
  names,
  vocabulary,
  licenseHeader,
  manifests,
  lockfile,
  licences,
  checklist,
  links,
  citations,
  faultsAreCaused,
  mutantsFit,
  namedTests,
  architecture,
  workflows,
  baseImages,
  folderSize,
  fileSize,
];
