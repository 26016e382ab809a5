// SPDX-License-Identifier: Apache-2.0
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ensurePart } from '@etcd-operator/tools';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EtcdLab, type StartOptions } from '../../testing/etcd-process.ts';
import { versionOf } from '../versions/version.ts';
import { checkEnv } from './env-check.ts';
import { flagsOf, hasFlag } from './flags.ts';

const run = promisify(execFile);

/** In the help text, but not a flag of that version. */
const leftovers: Readonly<Record<string, readonly string[]>> = { '3.7': ['discovery', 'discovery-proxy'] };
/** Flags that are in no version's help text. */
const unmentioned = ['config-file', 'experimental-snapshot-catchup-entries'];

let lab: EtcdLab;
beforeAll(async () => {
  lab = await EtcdLab.open();
});
afterAll(() => lab[Symbol.asyncDispose]());

/** Starts a member that exits or keeps running; returns which, and its output. */
async function attempt(options: StartOptions): Promise<{ readonly started: boolean; readonly log: string }> {
  const member = await lab.member();
  try {
    await member.start(options);
    return { started: true, log: member.log };
  } catch {
    return { started: false, log: member.log };
  } finally {
    await member.stop('SIGKILL');
  }
}

describe.each(['3.5', '3.6', '3.7'])('the table of flags against etcd %s itself', (series) => {
  test('names exactly what its help text names', async () => {
    const { programs, version } = await ensurePart(`etcd@${series}`);
    const { stdout, stderr } = await run(programs['etcd'] ?? 'etcd', ['--help']);
    const help = `${stdout}${stderr}`.matchAll(/^\s+--([a-z0-9-]+)/gm);
    const named = [...new Set([...help].map(([, flag = '']) => flag))].filter(
      (flag) => !leftovers[series]?.includes(flag),
    );
    const known = flagsOf(versionOf(version)).filter((flag) => !unmentioned.includes(flag));
    expect(named.filter((flag) => flag !== 'version' && !unmentioned.includes(flag)).toSorted()).toEqual(known);
  });
});

describe('operator rule 11: what a version does with an environment', () => {
  const experimental = 'ETCD_EXPERIMENTAL_INITIAL_CORRUPT_CHECK';
  const both = { [experimental]: 'true', ETCD_FEATURE_GATES: 'InitialCorruptCheck=true' };
  const problems = (env: Readonly<Record<string, string>>, version: string) =>
    checkEnv(
      Object.entries(env).map(([name, value]) => ({ name, value })),
      versionOf(version),
    );

  test('both spellings of a switch: 3.6 does not start, as predicted', async () => {
    const { started, log } = await attempt({ env: both });
    expect(started).toBe(false);
    expect(log).toContain('cannot specify both flags');
    expect(problems(both, '3.6.16')).toEqual([expect.objectContaining({ name: experimental, severity: 'refuse' })]);
  });

  test('3.7 starts and silently ignores the old one; that is why it is refused', async () => {
    const { started, log } = await attempt({ version: '3.7', env: { [experimental]: 'true' } });
    expect(started).toBe(true);
    expect(log).toContain('unrecognized environment variable');
    expect(problems({ [experimental]: 'true' }, '3.7.3')).toEqual([
      expect.objectContaining({ severity: 'refuse', replacement: 'ETCD_FEATURE_GATES=InitialCorruptCheck=true' }),
    ]);
  });

  test('3.5 does not know ETCD_MAX_LEARNERS and goes on', async () => {
    expect(hasFlag('max-learners', versionOf('3.5.35'))).toBe(false);
    const { started, log } = await attempt({ version: '3.5', env: { ETCD_MAX_LEARNERS: '7' } });
    expect(started).toBe(true);
    expect(log).toContain('unrecognized environment variable');
  });

  test('a variable that our command line sets as well ends etcd: such names are reserved', async () => {
    const { started, log } = await attempt({ env: { ETCD_NAME: 'other' } });
    expect(started).toBe(false);
    expect(log).toContain('shadowed by corresponding command-line flag');
    expect(problems({ ETCD_NAME: 'other' }, '3.6.16')[0]?.severity).toBe('refuse');
  });
});
