// SPDX-License-Identifier: Apache-2.0
import { dirname } from 'node:path';

/** The root folder of the repository. */
export const repositoryRoot = dirname(import.meta.dirname);
