// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { judgeAudit } from './judge-audit.ts';

const url = 'https://example.test/GHSA-1';
const report = {
  vulnerabilities: {
    undici: { via: [{ url, title: 'sends too much', severity: 'high' }] },
    above: { via: ['undici'] },
  },
};
const exception = { advisory: url, because: 'the function is not called', until: '2026-12-31' };

test('an advisory holds up a release, once', () => {
  expect(judgeAudit(report, [], '2026-11-16')).toEqual([`undici: sends too much (high), ${url}`]);
});

test('an exception holds through its last day', () => {
  expect(judgeAudit(report, [exception], '2026-12-31')).toEqual([]);
  expect(judgeAudit(report, [exception], '2027-01-01')).toHaveLength(1);
});

test('an exception that nothing needs is to be deleted', () => {
  expect(judgeAudit({ vulnerabilities: {} }, [exception], '2026-11-16')).toEqual([
    `the exception for ${url} is not needed any more: delete it`,
  ]);
});
