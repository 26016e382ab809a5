// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path';
import { crdOf, yamlText } from '@operator-parts/crd';
import { kinds } from '../deploy/kinds.ts';
import { type ImageFile, text } from '../image/image.ts';
import { clusterServiceVersion } from './cluster-service-version.ts';
import type { ArtefactKind, Release } from './release.ts';
import { writeTarball } from './tarball.ts';

/** Where OLM looks for what, in the image that a bundle is made into. */
const annotations = {
  'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
  'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
  'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
  'operators.operatorframework.io.bundle.package.v1': 'etcd-operator',
  'operators.operatorframework.io.bundle.channels.v1': 'alpha',
  'operators.operatorframework.io.bundle.channel.default.v1': 'alpha',
} as const;

/** The bundle for the Operator Lifecycle Manager: a ClusterServiceVersion, the CRDs, and the file that an image is built from. */
export const bundle: ArtefactKind = {
  name: 'bundle',
  async make(release) {
    await writeTarball(bundleFiles(release), join(release.out, bundleName(release.version)));
  },
};

export function bundleName(version: string): string {
  return `etcd-operator-${version}-olm-bundle.tar.gz`;
}

export function bundleFiles(release: Pick<Release, 'version' | 'repository'>): readonly ImageFile[] {
  const labels = Object.entries(annotations).map(([name, value]) => `LABEL ${name}=${value}\n`);
  return [
    text('manifests/etcd-operator.clusterserviceversion.yaml', yamlText(clusterServiceVersion(release))),
    ...kinds.map((kind) => text(`manifests/${kind.resource.plural}.yaml`, yamlText(crdOf(kind)))),
    text('metadata/annotations.yaml', yamlText({ annotations })),
    text('bundle.Dockerfile', `FROM scratch\n${labels.join('')}COPY manifests /manifests/\nCOPY metadata /metadata/\n`),
  ];
}
