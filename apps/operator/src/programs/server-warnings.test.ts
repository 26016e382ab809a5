// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { logWarnings } from './server-warnings.ts';

const request = { method: 'POST', path: '/api/v1/namespaces/a/pods' } as const;

function listening() {
  const lines: unknown[] = [];
  return { lines, warn: logWarnings({ warn: (message, fields) => lines.push({ message, ...fields }) }) };
}

test('a warning of the API server is logged once, with the request that met it first', () => {
  const { lines, warn } = listening();
  warn('unknown field "spec.new"', request);
  warn('unknown field "spec.new"', { ...request, path: '/api/v1/namespaces/b/pods' });
  warn('unknown field "spec.other"', request);
  expect(lines).toEqual(
    ['unknown field "spec.new"', 'unknown field "spec.other"'].map((warning) => ({
      message: 'the API server warns',
      warning,
      request: 'POST /api/v1/namespaces/a/pods',
    })),
  );
});

test('a server that warns of something else each time does not fill the log', () => {
  const { lines, warn } = listening();
  for (let number = 0; number < 1000; number++) warn(`warning ${number}`, request);
  expect(lines).toHaveLength(100);
});
