// SPDX-License-Identifier: Apache-2.0

/** The version of this release, the same as in the package manifests. */
export const version = '0.1.0';
