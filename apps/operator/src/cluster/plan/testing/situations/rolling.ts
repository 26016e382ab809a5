// SPDX-License-Identifier: Apache-2.0
import type { ImageCheck } from '../../../observation.ts';
import { answer, type Change, nodeOf, now, pod } from './vocabulary.ts';

/** Functions for clusters whose version is being changed. */

export const image = (version: string, repository = 'quay.io/coreos/etcd'): string => `${repository}:v${version}`;

/** The image of a version has been checked on the nodes of these members. */
export const proven =
  (version: string, members = 'bcd', change: Partial<ImageCheck> = {}): Change =>
  (observation) => ({
    ...observation,
    imageChecks: [...members].map((letter) => ({
      name: `check-${letter}`,
      uid: `check-${letter}`,
      node: nodeOf(letter),
      image: 'problems' in observation.cluster.desired ? '' : observation.cluster.desired.image,
      seenSince: now - 10_000,
      result: 'succeeded',
      detail: version,
      ...change,
    })),
  });

/** The image of a member has been changed, and its new container reports the new version. */
export const upgraded = (letter: string, version: string, repository?: string): readonly Change[] => [
  pod(letter, { version, image: image(version, repository) }),
  answer(letter, { version }),
];

/** The image of a member has been changed, but the new image is not confirmed yet. */
export const patched = (letter: string, version: string, previous: string): Change =>
  pod(letter, {
    version,
    image: image(version),
    previousVersion: previous,
    previousImage: image(previous),
    previousContainer: `container-${letter}`,
  });
