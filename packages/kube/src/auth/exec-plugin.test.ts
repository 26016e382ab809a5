// SPDX-License-Identifier: Apache-2.0
import { VirtualClock } from '@operator-parts/ports';
import { describe, expect, test } from 'vitest';
import type { ClusterConfig, ExecPlugin } from '../config/cluster-config.ts';
import { ExecCredentialSource, programRunner, type RunProgram } from './exec-plugin.ts';

const plugin: ExecPlugin = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'login',
  args: ['--cluster', 'x'],
  env: { REGION: 'r' },
  provideClusterInfo: true,
  installHint: 'install it from somewhere',
};
const config: ClusterConfig = {
  server: 'https://api:6443',
  namespace: 'default',
  certificateAuthority: { kind: 'data', pem: 'PEM' },
  credential: { kind: 'exec', plugin },
  source: 'context "dev" of /f',
};
const printed = (status: object, apiVersion: string = plugin.apiVersion) =>
  JSON.stringify({ apiVersion, kind: 'ExecCredential', status });

function source(run: RunProgram, clock = new VirtualClock()) {
  return { clock, credentials: new ExecCredentialSource({ config, plugin, run, clock }) };
}

describe('a plugin', () => {
  test('is told about the cluster and gets its arguments and environment', async () => {
    const calls: unknown[] = [];
    const { credentials } = source(async (command, args, env) => {
      calls.push([command, args, { ...env, KUBERNETES_EXEC_INFO: JSON.parse(env['KUBERNETES_EXEC_INFO'] ?? '') }]);
      return printed({ token: 't' });
    });
    expect(await credentials.get()).toEqual({ token: 't' });
    expect(calls).toEqual([
      [
        'login',
        ['--cluster', 'x'],
        {
          REGION: 'r',
          KUBERNETES_EXEC_INFO: {
            apiVersion: plugin.apiVersion,
            kind: 'ExecCredential',
            spec: {
              interactive: false,
              cluster: { server: 'https://api:6443', 'certificate-authority-data': 'UEVN' },
            },
          },
        },
      ],
    ]);
  });

  test('runs once for many requests, again before it expires, and again when it was refused', async () => {
    let runs = 0;
    const clock = new VirtualClock('2026-01-01T00:00:00Z');
    const { credentials } = source(async () => {
      runs++;
      await clock.sleep(10);
      return printed({ token: `t${runs}`, expirationTimestamp: '2026-01-01T00:01:00Z' });
    }, clock);
    const many = Promise.all([credentials.get(), credentials.get(), credentials.get()]);
    await clock.advance(10);
    expect((await many).map(({ token }) => token)).toEqual(['t1', 't1', 't1']);
    await clock.advance(40_000);
    expect((await credentials.get()).token).toBe('t1');
    await clock.advance(10_000);
    const second = credentials.get();
    await clock.advance(10);
    expect((await second).token).toBe('t2');
    credentials.forget();
    const third = credentials.get();
    await clock.advance(10);
    expect((await third).token).toBe('t3');
  });

  test('may give a client certificate', async () => {
    const { credentials } = source(async () => printed({ clientCertificateData: 'C', clientKeyData: 'K' }));
    expect(await credentials.get()).toEqual({ cert: 'C', key: 'K' });
  });

  test('that fails once is asked again', async () => {
    let runs = 0;
    const { credentials } = source(async () => {
      if (runs++ === 0) throw new Error('no network');
      return printed({ token: 't' });
    });
    await expect(credentials.get()).rejects.toThrow(
      'context "dev" of /f: exec plugin login: failed: no network\ninstall it from somewhere',
    );
    expect((await credentials.get()).token).toBe('t');
  });

  test.each([
    ['token: secret', 'did not print valid JSON'],
    ['{}', 'did not print an ExecCredential'],
    [printed({}), 'neither a token nor a client certificate'],
    [printed({ clientCertificateData: 'C' }), 'neither a token nor a client certificate'],
    [printed({ token: 't' }, 'client.authentication.k8s.io/v1beta1'), 'printed apiVersion'],
    [printed({ token: 'secret', expirationTimestamp: 'tomorrow' }), 'an expirationTimestamp that is not a valid time'],
  ])('that prints %s is refused without quoting it', async (output, message) => {
    const error = await source(async () => output)
      .credentials.get()
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'Configuration' });
    expect((error as Error).message).toContain(message);
    expect((error as Error).message).not.toContain('secret');
  });
});

describe('programs', () => {
  const run = programRunner({ PATH: process.env['PATH'], BASE: 'b' });

  test('get both environments, and no shell looks at their arguments', async () => {
    const script = 'process.stdout.write([process.argv[1], process.env.BASE, process.env.OWN].join())';
    expect(await run(process.execPath, ['-e', script, '$HOME;ls'], { OWN: 'o' })).toBe('$HOME;ls,b,o');
  });

  test('that fail are reported with what they said, not with their arguments', async () => {
    const failing = run(process.execPath, ['-e', 'console.error("bad luck"); process.exit(3)', 'secret-argument'], {});
    const error = await failing.catch((caught: unknown) => caught);
    expect((error as Error).message).toBe('the program exited with 3: bad luck');
    await expect(run('/no/such/program', [], {})).rejects.toThrow('the program was not found');
  });
});
