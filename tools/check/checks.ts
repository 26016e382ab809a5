// SPDX-License-Identifier: Apache-2.0
import { biome } from './biome.ts';
import type { Check } from './check.ts';
import { checklist } from './checklist.ts';
import { deadCode, testOnlyCode } from './dead-code.ts';
import { fileSize } from './file-size.ts';
import { generated } from './generated.ts';
import { hiddenInputs } from './hidden-inputs.ts';
import { layers } from './layers.ts';
import { leftovers } from './leftovers.ts';
import { licenseHeader } from './license-header.ts';
import { links } from './links.ts';
import { manifests } from './manifests.ts';
import { names } from './names.ts';
import { oxlint } from './oxlint.ts';
import { types } from './types.ts';

/** Everything that `npm run check` looks at, slowest first. */
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
  names,
  licenseHeader,
  manifests,
  checklist,
  links,
  fileSize,
];
