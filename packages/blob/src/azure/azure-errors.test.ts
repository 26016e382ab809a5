// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { azureError } from './azure-errors.ts';

test('a blob that a policy keeps from being deleted is locked', () => {
  const message = 'This operation is not permitted as the blob is immutable due to a policy.';
  const answer = Object.assign(new Error(message), { statusCode: 409, code: 'BlobImmutableDueToPolicy' });
  expect(azureError(answer, 'deleting k', (text) => text)).toMatchObject({ code: 'Locked', retryable: false });
});
