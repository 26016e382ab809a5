// SPDX-License-Identifier: Apache-2.0
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Image, text } from './image.ts';
import { writeMultiArchive, writeOciArchive } from './oci-archive.ts';

// Long limits: real files and processes on a possibly busy machine.
vi.setConfig({ testTimeout: 120_000 });

interface Descriptor {
  readonly digest: string;
  readonly size: number;
  readonly mediaType: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

const image: Image = {
  names: ['quay.io/coreos/etcd:v3.6.16', 'gcr.io/etcd-development/etcd:v3.6.16'],
  files: [text('/usr/local/bin/etcd', 'program', 0o755)],
  command: ['/usr/local/bin/etcd'],
  environment: ['A=b'],
  user: '1000:1000',
  labels: { title: 'etcd' },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'etcd-operator-oci-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Reads an archive with the machine's own tar. */
function open(file: string) {
  const member = (path: string) => execFileSync('tar', ['--extract', '--to-stdout', '--file', file, path]);
  const json = (path: string) => JSON.parse(member(path).toString('utf8')) as Record<string, unknown>;
  const blob = ({ digest, size }: Descriptor) => {
    const bytes = member(`blobs/${digest.replace(':', '/')}`);
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest);
    expect(bytes.length).toBe(size);
    return bytes;
  };
  const manifests = json('index.json')['manifests'] as readonly Descriptor[];
  const manifest = JSON.parse(blob(manifests[0] as Descriptor).toString('utf8')) as {
    readonly config: Descriptor;
    readonly layers: readonly Descriptor[];
  };
  return { json, blob, manifests, manifest };
}

describe('an archive', () => {
  test('names the same manifest by each name', async () => {
    await writeOciArchive(image, join(folder, 'image.tar'));
    const { json, manifests } = open(join(folder, 'image.tar'));
    expect(json('oci-layout')).toEqual({ imageLayoutVersion: '1.0.0' });
    expect(manifests.map(({ annotations }) => annotations?.['io.containerd.image.name'])).toEqual(image.names);
    expect(new Set(manifests.map(({ digest }) => digest)).size).toBe(1);
  });

  test.each(['gzip', 'none'] as const)(
    '[106] has a layer and a configuration that fit, with compression %s',
    async (compression) => {
      const file = join(folder, 'image.tar');
      const written = await writeOciArchive(image, file, { compression, architecture: 'arm64' });
      const { blob, manifests, manifest } = open(file);
      const [layer] = manifest.layers;
      const packed = blob(layer as Descriptor);
      const layerTar = compression === 'gzip' ? gunzipSync(packed) : packed;
      const config = JSON.parse(blob(manifest.config).toString('utf8')) as object;
      expect(config).toMatchObject({
        architecture: 'arm64',
        os: 'linux',
        config: { Cmd: ['/usr/local/bin/etcd'], User: '1000:1000', Labels: { title: 'etcd' } },
        rootfs: { type: 'layers', diff_ids: [`sha256:${createHash('sha256').update(layerTar).digest('hex')}`] },
      });
      expect(execFileSync('tar', ['--list'], { input: layerTar, encoding: 'utf8' })).toContain('usr/local/bin/etcd\n');
      expect(written).toEqual({ file, layerBytes: packed.length, digest: manifests[0]?.digest });
    },
  );

  test('is the same each time', async () => {
    await writeOciArchive(image, join(folder, 'one.tar'));
    await writeOciArchive(image, join(folder, 'two.tar'));
    expect(readFileSync(join(folder, 'one.tar')).equals(readFileSync(join(folder, 'two.tar')))).toBe(true);
  });

  test('leaves nothing behind when it cannot be made', async () => {
    const broken: Image = {
      ...image,
      files: [{ kind: 'file', path: '/a', content: { source: join(folder, 'absent') } }],
    };
    await expect(writeOciArchive(broken, join(folder, 'image.tar'))).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('an archive for several architectures leads each machine to its own image, by one name', async () => {
  const file = join(folder, 'both.tar');
  const built = ['amd64', 'arm64'].map((architecture) => ({
    architecture,
    image: { ...image, files: [text('/bin/which', architecture)] },
  }));
  const { digest } = await writeMultiArchive(built, file);
  const { manifests, blob } = open(file);
  expect(manifests.map(({ annotations }) => annotations?.['io.containerd.image.name'])).toEqual(image.names);
  expect(manifests[0]?.digest).toBe(digest);
  const { manifests: inner } = JSON.parse(blob(manifests[0] as Descriptor).toString('utf8')) as {
    readonly manifests: readonly (Descriptor & { readonly platform: { readonly architecture: string } })[];
  };
  expect(inner.map(({ platform }) => platform.architecture)).toEqual(['amd64', 'arm64']);
  for (const descriptor of inner) {
    const { config, layers } = JSON.parse(blob(descriptor).toString('utf8')) as {
      readonly config: Descriptor;
      readonly layers: readonly Descriptor[];
    };
    const { architecture } = JSON.parse(blob(config).toString('utf8')) as { readonly architecture: string };
    expect(architecture).toBe(descriptor.platform.architecture);
    const layer = gunzipSync(blob(layers[0] as Descriptor));
    expect(layer.includes(architecture)).toBe(true);
  }
});
