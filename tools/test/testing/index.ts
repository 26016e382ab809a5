// SPDX-License-Identifier: Apache-2.0
/** How long a wait in a test may last, so that it ends before its test does and says what it waited for. */
export { patienceOf } from './time-left.ts';
