// SPDX-License-Identifier: Apache-2.0

/** The errors by which a member rejects a client that it does not know (etcd fact 13). */
export const refusals = ['PermissionDenied', 'InvalidAuthToken', 'LoginRequired', 'LoginFailed'] as const;
