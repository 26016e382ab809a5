// SPDX-License-Identifier: Apache-2.0
/** All subjects of the suite, in the order in which they are printed. */
import type { Subject } from '../trial.ts';
import { objects } from './objects.ts';

export const subjects: readonly Subject[] = [objects];
