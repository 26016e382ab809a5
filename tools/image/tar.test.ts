// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type ImageFile, text } from './image.ts';
import { tar } from './tar.ts';

// Long limits: real files and processes on a possibly busy machine.
vi.setConfig({ testTimeout: 120_000 });

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'etcd-operator-tar-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function archive(entries: readonly ImageFile[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of tar(entries)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The listing of the machine's own tar. */
function list(bytes: Buffer): readonly string[] {
  const output = execFileSync('tar', ['--list', '--verbose', '--numeric-owner', '--utc'], {
    input: bytes,
    encoding: 'utf8',
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' '));
}

describe('an archive', () => {
  test('has parents, is sorted, and has neither times nor owners of its own', async () => {
    const bytes = await archive([
      text('/usr/bin/b', 'b', 0o755),
      { kind: 'link', path: '/bin', target: 'usr/bin' },
      { kind: 'directory', path: '/tmp', mode: 0o1777 },
      { kind: 'directory', path: '/data', owner: 1000 },
    ]);
    expect(list(bytes)).toEqual([
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00 bin -> usr/bin',
      'drwxr-xr-x 1000/1000 0 1970-01-01 00:00 data/',
      'drwxrwxrwt 0/0 0 1970-01-01 00:00 tmp/',
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/',
      'drwxr-xr-x 0/0 0 1970-01-01 00:00 usr/bin/',
      '-rwxr-xr-x 0/0 1 1970-01-01 00:00 usr/bin/b',
    ]);
  });

  test('is the same whatever the order of its entries', async () => {
    const entries = [text('/b/x', '1'), text('/a', '2'), text('/b/w', '3')];
    expect(await archive(entries)).toEqual(await archive(entries.toReversed()));
  });

  test('keeps the later of two entries with one path', async () => {
    execFileSync('tar', ['--extract', '--directory', folder], {
      input: await archive([text('/a', 'old'), text('/a', 'new')]),
    });
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('new');
  });

  test('holds files of this machine', async () => {
    writeFileSync(join(folder, 'source'), Buffer.alloc(3_000_000, 7));
    const bytes = await archive([
      { kind: 'file', path: 'copy', content: { source: join(folder, 'source') }, mode: 0o600 },
    ]);
    execFileSync('tar', ['--extract', '--directory', folder], { input: bytes });
    expect(readFileSync(join(folder, 'copy'))).toEqual(Buffer.alloc(3_000_000, 7));
    expect(statSync(join(folder, 'copy')).mode & 0o777).toBe(0o600);
  });

  test('refuses what the format cannot hold', async () => {
    await expect(archive([text(`/${'x'.repeat(101)}`, '')])).rejects.toThrow('too long for a tar header');
    await expect(archive([{ kind: 'link', path: '/a', target: 'x'.repeat(101) }])).rejects.toThrow('too long');
  });

  test('gives back any files that are put in', async () => {
    const name = fc.stringMatching(/^[a-z0-9._-]{1,60}$/).filter((one) => !/^\.+$/.test(one));
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const files = fc.dictionary(path, fc.uint8Array({ maxLength: 1200 }), { maxKeys: 5, noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(files, async (wanted) => {
        const paths = Object.keys(wanted);
        fc.pre(!paths.some((one) => paths.some((other) => other.startsWith(`${one}/`))));
        const target = mkdtempSync(join(folder, 'run-'));
        const entries = Object.entries(wanted).map(([at, content]): ImageFile => ({ kind: 'file', path: at, content }));
        execFileSync('tar', ['--extract', '--directory', target], { input: await archive(entries) });
        for (const [at, content] of Object.entries(wanted)) {
          expect(new Uint8Array(readFileSync(join(target, at)))).toEqual(content);
        }
      }),
      { numRuns: 25 },
    );
  });

  test('keeps links as they are', async () => {
    const bytes = await archive([{ kind: 'link', path: '/bin/sh', target: '/bin/busybox' }]);
    execFileSync('tar', ['--extract', '--directory', folder], { input: bytes });
    expect(readlinkSync(join(folder, 'bin/sh'))).toBe('/bin/busybox');
  });
});
