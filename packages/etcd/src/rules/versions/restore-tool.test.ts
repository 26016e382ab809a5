// SPDX-License-Identifier: Apache-2.0
import { describe, expect, test } from 'vitest';
import { restoreTool } from './restore-tool.ts';
import { versionOf } from './version.ts';

describe('the tool that restores a snapshot (etcd fact 4)', () => {
  test.each([
    ['3.2.13', 'etcdctl', false],
    ['3.4.26', 'etcdctl', false],
    ['3.4.27', 'etcdctl', true],
    ['3.5.9', 'etcdutl', false],
    ['3.5.10', 'etcdutl', true],
    ['3.6.0', 'etcdutl', true],
    ['3.7.3', 'etcdutl', true],
  ])('%s: %s, bumps the revision: %s', (version, program, bumpsRevision) => {
    expect(restoreTool(versionOf(version))).toMatchObject({ program, bumpsRevision });
  });

  test('etcdctl gets the variable for the v3 API, which old versions need', () => {
    expect(restoreTool(versionOf('3.3.25')).env).toEqual({ ETCDCTL_API: '3' });
    expect(restoreTool(versionOf('3.6.16')).env).toEqual({});
  });
});
