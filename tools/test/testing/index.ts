// SPDX-License-Identifier: Apache-2.0
/**
 * How long a wait in a test may last, so that it fails before its test does, with a message about what it waited for.
 */
export { patienceOf } from './time-left.ts';
