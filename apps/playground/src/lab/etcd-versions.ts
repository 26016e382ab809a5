// SPDX-License-Identifier: Apache-2.0
import { busyboxImages, etcdImages } from '@etcd-operator/kube-lab';
import { ensurePart, type Part, type PartOptions } from '@etcd-operator/tools';
import { OptionError } from '../options.ts';
import { GrowingImages } from './growing-images.ts';

const minors = ['3.4', '3.5', '3.6', '3.7'] as const;
type Minor = (typeof minors)[number];
const defaultMinor = '3.6';

/** The versions of etcd that the playground has, made or fetched when they are first asked for. */
export class EtcdVersions {
  readonly images: GrowingImages;
  /** The one it began with. */
  readonly first: Part;
  readonly #busybox: Part;
  readonly #options: PartOptions;

  private constructor(first: Part, busybox: Part, options: PartOptions) {
    this.first = first;
    this.#busybox = busybox;
    this.#options = options;
    this.images = new GrowingImages([etcdImages([first], busybox), busyboxImages(busybox)]);
  }

  /** @param wanted `3.6` or `3.6.16` */
  static async start(wanted: string | undefined, options: PartOptions): Promise<EtcdVersions> {
    const [first, busybox] = await Promise.all([
      partOf(wanted ?? defaultMinor, options),
      ensurePart('busybox', options),
    ]);
    return new EtcdVersions(first, busybox, options);
  }

  /** Makes sure of a version and lets pods use it. Resolves with the exact version. */
  async add(wanted: string): Promise<string> {
    const part = await partOf(wanted, this.#options);
    this.images.add(etcdImages([part], this.#busybox));
    return part.version;
  }

  /** The minor after that of a version; undefined for the newest. */
  static after(version: string): string | undefined {
    return minors[minors.findIndex((minor) => version.startsWith(`${minor}.`)) + 1];
  }
}

async function partOf(wanted: string, options: PartOptions): Promise<Part> {
  const minor = minors.find((known) => wanted === known || wanted.startsWith(`${known}.`));
  if (!minor) throw new OptionError(`the playground has no etcd ${wanted}: known are ${minors.join(', ')}`);
  const part = await ensurePart(`etcd@${minor satisfies Minor}`, options);
  if (wanted !== minor && wanted !== part.version)
    throw new OptionError(`the playground has no etcd ${wanted}: of ${minor} it has ${part.version}`);
  return part;
}
