// SPDX-License-Identifier: Apache-2.0
import { dirname } from 'node:path';

/** The folder that holds everything. */
export const repositoryRoot = dirname(import.meta.dirname);
