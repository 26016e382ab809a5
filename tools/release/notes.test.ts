// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { releaseNotes } from './notes.ts';

const changelog =
  '# Changelog\n\nWords.\n\n## Unreleased\n\n- soon\n\n## 0.2.0 (2026-05-01)\n\n- new\n  and good\n\n## 0.2.0-rc.1\n\n- old\n';

test('notes are the part of the version, and of no other', () => {
  expect(releaseNotes(changelog, '0.2.0', { allowUnreleased: true })).toBe(
    '# etcd-operator 0.2.0\n\n- new\n  and good\n',
  );
  expect(releaseNotes(changelog, '0.2.0-rc.1', { allowUnreleased: false })).toContain('- old');
});

test('what is not released yet has notes only where that is allowed', () => {
  expect(releaseNotes(changelog, '0.3.0', { allowUnreleased: true })).toBe('# etcd-operator 0.3.0\n\n- soon\n');
  expect(() => releaseNotes(changelog, '0.3.0', { allowUnreleased: false })).toThrow('no part "## 0.3.0"');
});
