// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { GcsAnswer, gcsError } from './gcs-errors.ts';

test('an object that the retention policy of its bucket keeps from being deleted is locked', () => {
  const message = "Object 'b/k' is subject to bucket's retention policy and cannot be deleted until 2026-12-01.";
  const error = { code: 403, message, errors: [{ reason: 'retentionPolicyNotMet' }] };
  const answer = new GcsAnswer(403, JSON.stringify({ error }), undefined);
  expect(gcsError(answer, 'deleting k', (text) => text)).toMatchObject({ code: 'Locked', retryable: false });
});
