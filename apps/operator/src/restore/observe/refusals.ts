// SPDX-License-Identifier: Apache-2.0

/** What a member says to whom it does not know. */
export const refusals = ['PermissionDenied', 'InvalidAuthToken', 'LoginRequired', 'LoginFailed'] as const;
