// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crdYaml } from '@operator-parts/crd';
import { networks } from '../src/network.ts';

/** `npm run generate`: writes the CRD from the declaration. A test fails while they differ. */
writeFileSync(join(import.meta.dirname, '..', 'crd', 'network.yaml'), crdYaml(networks));
