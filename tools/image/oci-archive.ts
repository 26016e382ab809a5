// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Image, type ImageFile, imageArchitecture, text } from './image.ts';
import { tar } from './tar.ts';

export interface ArchiveOptions {
  /** `none` is faster if the archive never leaves the machine. @default 'gzip' */
  readonly compression?: 'gzip' | 'none';
  /** @default this machine's */
  readonly architecture?: string;
}

/** The written archive. */
export interface WrittenImage {
  readonly file: string;
  /** Size of the compressed layer. */
  readonly layerBytes: number;
  /** `sha256:...` of the manifest: the image's digest in a registry. */
  readonly digest: string;
}

const mediaTypes = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  gzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
  none: 'application/vnd.oci.image.layer.v1.tar',
} as const;

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

/** An image and the architecture of its programs, in the notation of image indexes. */
export interface BuiltImage {
  readonly image: Image;
  readonly architecture: string;
}

/**
 * Writes an image as an OCI archive: one layer, a configuration, a manifest, and an index with its name for containerd.
 * The file gets its name only when it is complete. Needs no container engine; two runs give the same bytes.
 */
export function writeOciArchive(image: Image, file: string, options: ArchiveOptions = {}): Promise<WrittenImage> {
  const architecture = options.architecture ?? imageArchitecture();
  return inWorkFolder(file, async (work) => {
    const written = await writeImage({ image, architecture }, join(work, 'layer'), options.compression ?? 'gzip');
    const target = { names: image.names, work, file };
    await writeLayout([written], written.manifest.descriptor, target);
    const { size: layerBytes } = written.layer.descriptor;
    return { file, layerBytes, digest: written.manifest.descriptor.digest };
  });
}

/**
 * Writes one image for several architectures as one OCI archive: a pull by name gets the image for the machine's
 * architecture. Names are those of the first.
 */
export function writeMultiArchive(images: readonly BuiltImage[], file: string): Promise<WrittenImage> {
  return inWorkFolder(file, async (work) => {
    const written: Written[] = [];
    for (const built of images) written.push(await writeImage(built, join(work, built.architecture), 'gzip'));
    const index = blob(mediaTypes.index, {
      schemaVersion: 2,
      mediaType: mediaTypes.index,
      manifests: written.map(({ manifest, architecture }) => ({
        ...manifest.descriptor,
        platform: { architecture, os: 'linux' },
      })),
    });
    const names = images[0]?.image.names ?? [];
    await writeLayout(written, index.descriptor, { names, work, file, index });
    const layerBytes = written.reduce((sum, { layer }) => sum + layer.descriptor.size, 0);
    return { file, layerBytes, digest: index.descriptor.digest };
  });
}

async function inWorkFolder<T>(file: string, write: (work: string) => Promise<T>): Promise<T> {
  const work = await mkdtemp(join(dirname(file), '.image-'));
  try {
    return await write(work);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface Written {
  readonly architecture: string;
  readonly layer: { readonly path: string; readonly descriptor: Descriptor };
  readonly config: Blob;
  readonly manifest: Blob;
}

async function writeImage(
  { image, architecture }: BuiltImage,
  path: string,
  compression: 'gzip' | 'none',
): Promise<Written> {
  const { descriptor, diffId } = await writeLayer(image.files, path, compression);
  const config = blob(mediaTypes.config, configOf(image, diffId, architecture));
  const manifest = blob(mediaTypes.manifest, {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: config.descriptor,
    layers: [descriptor],
  });
  return { architecture, layer: { path, descriptor }, config, manifest };
}

interface Target {
  readonly names: readonly string[];
  readonly work: string;
  readonly file: string;
  /** The index of the manifests, if there are several. */
  readonly index?: Blob;
}

async function writeLayout(written: readonly Written[], named: Descriptor, target: Target): Promise<void> {
  const small = [
    ...written.flatMap(({ config, manifest }) => [config, manifest]),
    ...(target.index ? [target.index] : []),
  ];
  const entries: readonly ImageFile[] = [
    text('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
    text('index.json', JSON.stringify(indexOf(target.names, named))),
    ...small.map(({ bytes, descriptor }) => ({ kind: 'file', path: blobPath(descriptor), content: bytes }) as const),
    ...written.map(
      ({ layer }) => ({ kind: 'file', path: blobPath(layer.descriptor), content: { source: layer.path } }) as const,
    ),
  ];
  const archive = join(target.work, 'archive');
  await pipeline(Readable.from(tar(entries)), createWriteStream(archive));
  await rename(archive, target.file);
}

async function writeLayer(
  files: readonly ImageFile[],
  path: string,
  compression: 'gzip' | 'none',
): Promise<{ readonly descriptor: Descriptor; readonly diffId: string }> {
  const [plain, packed] = [createHash('sha256'), createHash('sha256')];
  const source = Readable.from(tar(files));
  const target = createWriteStream(path);
  if (compression === 'gzip') {
    // Node writes neither a name nor a time to the header, so the bytes depend only on the content.
    const gzip = createGzip({ level: 6 });
    await pipeline(source, hashing(plain), gzip, hashing(packed), target);
  } else {
    await pipeline(source, hashing(plain), hashing(packed), target);
  }
  const { size } = await stat(path);
  const descriptor = { mediaType: mediaTypes[compression], digest: `sha256:${packed.digest('hex')}`, size };
  return { descriptor, diffId: `sha256:${plain.digest('hex')}` };
}

function hashing(hash: ReturnType<typeof createHash>): Transform {
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

function configOf(image: Image, diffId: string, architecture: string): object {
  return {
    created: '1970-01-01T00:00:00Z',
    architecture,
    os: 'linux',
    config: {
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...(image.environment ?? [])],
      Cmd: image.command,
      WorkingDir: '/',
      ...(image.user && { User: image.user }),
      ...(image.labels && { Labels: image.labels }),
    },
    rootfs: { type: 'layers', diff_ids: [diffId] },
    history: [{ created: '1970-01-01T00:00:00Z', created_by: 'etcd-operator tools/image' }],
  };
}

function indexOf(names: readonly string[], manifest: Descriptor): object {
  return {
    schemaVersion: 2,
    mediaType: mediaTypes.index,
    manifests: names.map((name) => ({
      ...manifest,
      annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name.split(':').at(-1) },
    })),
  };
}

interface Blob {
  readonly bytes: Buffer;
  readonly descriptor: Descriptor;
}

function blob(mediaType: string, value: object): Blob {
  const bytes = Buffer.from(JSON.stringify(value), 'utf8');
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  return { bytes, descriptor: { mediaType, digest, size: bytes.length } };
}

function blobPath({ digest }: Descriptor): string {
  return `blobs/${digest.replace(':', '/')}`;
}
