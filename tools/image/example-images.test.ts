// SPDX-License-Identifier: Apache-2.0
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { repositoryRoot } from '../repository-root.ts';
import { sidecarInjector } from './example-images.ts';
import { layOut } from './lay-out.ts';
import { nodeProgramFiles } from './node-program-image.ts';

vi.setConfig({ testTimeout: 120_000 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'example-image-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the image of the sidecar-injector has the name and the program that its Deployment asks for, and that program starts', async () => {
  const deployment = readFileSync(join(repositoryRoot, 'example/sidecar-injector/deploy/deployment.yaml'), 'utf8');
  const [name = ''] = sidecarInjector.names;
  expect(deployment).toContain(`image: ${name.replace('docker.io/library/', '')}\n`);
  expect(deployment).toContain(`command: [${sidecarInjector.program}]\n`);
  await layOut(await nodeProgramFiles(sidecarInjector), folder);
  const file = join(folder, readlinkSync(join(folder, 'usr/local/bin', sidecarInjector.program)));
  expect(statSync(file).mode & 0o777).toBe(0o755);
  expect(execFileSync(process.execPath, [file, '--help'], { encoding: 'utf8', cwd: '/' })).toContain('--http-port');
});

test('its README has the line that makes the image, which works in the folder that it is typed in', () => {
  const example = join(repositoryRoot, 'example/sidecar-injector');
  const lines = readFileSync(join(example, 'README.md'), 'utf8').split('\n');
  const line = lines.find((text) => text.startsWith('npm run image ')) ?? '';
  const file = join(folder, 'image.tar');
  const { status, stdout } = spawnSync('sh', ['-c', `${line} --out ${file}`], { cwd: example, encoding: 'utf8' });
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining(`-> ${file}`) });
  expect(statSync(file).size).toBeGreaterThan(1_000_000);
});

test('an unknown image is refused, with the list of the known ones', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'main.ts'), 'nonsense'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: 'there is no image "nonsense"; known are operator, sidecar-injector\n',
  });
});
