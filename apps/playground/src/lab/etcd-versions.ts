// SPDX-License-Identifier: Apache-2.0

import {
  ensurePart,
  etcdOnPath,
  knownParts,
  type Part,
  type PartOptions,
  partIfCached,
  partVersion,
} from '@etcd-operator/tools';
import { compareVersions, versionOf } from '@operator-parts/etcd';
import { busyboxImages, etcdImages, type ImageReference } from '@operator-parts/kube-lab';
import { OptionError } from '../options.ts';
import { GrowingImages } from './growing-images.ts';
import { tutorialImages } from './tutorial-images.ts';

const minors = ['3.4', '3.5', '3.6', '3.7'] as const;
type Minor = (typeof minors)[number];
const defaultMinor = '3.6';

/** The versions of etcd that pods can pull: those on the machine, and others on first request. */
export class EtcdVersions {
  readonly images: GrowingImages;
  /** The initial version. */
  readonly first: Part;
  readonly busybox: Part;
  readonly #options: PartOptions;
  readonly #present = new Set<string>();
  /** Versions that could not be provided. */
  readonly #missed = new Set<string>();

  private constructor(first: Part, busybox: Part, options: PartOptions) {
    this.first = first;
    this.busybox = busybox;
    this.#options = options;
    this.images = new GrowingImages([busyboxImages(busybox), ...tutorialImages(busybox)], (reference) =>
      this.#hint(reference),
    );
  }

  /** @param wanted `3.6` or `3.6.16` */
  static async start(wanted: string | undefined, options: PartOptions): Promise<EtcdVersions> {
    const [first, busybox] = await Promise.all([
      partOf(wanted ?? defaultMinor, options),
      ensurePart('busybox', options),
    ]);
    const versions = new EtcdVersions(first, busybox, options);
    await versions.#takeWhatIsThere();
    versions.#take(first);
    return versions;
  }

  /** Those that pods can pull now, oldest first. */
  get present(): readonly string[] {
    return [...this.#present].sort((a, b) => compareVersions(versionOf(a), versionOf(b)));
  }

  /** Provides a version for pods. Resolves with the exact version. */
  async add(wanted: string): Promise<string> {
    const part = await partOf(wanted, this.#options);
    this.#take(part);
    return part.version;
  }

  /** The next minor after a version; undefined for the newest. */
  static after(version: string): string | undefined {
    return minors[minors.findIndex((minor) => version.startsWith(`${minor}.`)) + 1];
  }

  #take(part: Part): void {
    if (this.#present.has(part.version)) return;
    this.#present.add(part.version);
    this.images.add(etcdImages([part], this.busybox));
  }

  /** The cache has priority over PATH, whose programs may change. */
  async #takeWhatIsThere(): Promise<void> {
    const found = await Promise.all([...etcdParts.map(partIfCached), etcdOnPath()]);
    for (const part of found) if (part) this.#take(part);
  }

  /** A version that was built meanwhile in another terminal is available when the node retries. */
  #hint({ repository, tag }: ImageReference): string | undefined {
    if (!repository.endsWith('/etcd')) return undefined;
    void this.#takeWhatIsThere();
    const wanted = tag.replace(/^v/, '').replace(/-shell$/, '');
    const hint = hintFor(wanted, this.present);
    if (!this.#missed.has(wanted))
      this.#options.report?.(`a pod needs etcd ${wanted}, which the playground does not have: ${hint}`);
    this.#missed.add(wanted);
    return hint;
  }
}

/** The parts that are an etcd: `etcd@3.6` and so on. */
const etcdParts = knownParts().filter((name) => name.startsWith('etcd@'));

/** What to do about a missing version. */
export function hintFor(wanted: string, present: readonly string[]): string {
  const here = `the playground has etcd ${present.join(', ')}`;
  const part = etcdParts.find((name) => partVersion(name) === wanted);
  if (part !== undefined) return `${here}; run "npm run tools -- ${part}" in another terminal to get ${wanted}`;
  const others = etcdParts.filter((name) => !present.includes(partVersion(name)));
  if (others.length === 0) return here;
  return `${here}; run "npm run tools -- ${others[0]}" in another terminal to get ${partVersion(others[0] ?? '')}`;
}

async function partOf(wanted: string, options: PartOptions): Promise<Part> {
  const minor = minors.find((known) => wanted === known || wanted.startsWith(`${known}.`));
  if (!minor) throw new OptionError(`the playground has no etcd ${wanted}; it knows ${minors.join(', ')}`);
  const part = await ensurePart(`etcd@${minor satisfies Minor}`, options);
  if (wanted !== minor && wanted !== part.version)
    throw new OptionError(`the playground has no etcd ${wanted}; its version of ${minor} is ${part.version}`);
  return part;
}
