// SPDX-License-Identifier: Apache-2.0
import type { GoRecipe, PartTable } from './recipes/recipe.ts';

/** One version of Kubernetes, and the oldest Go that its module allows. */
interface KubernetesRelease {
  readonly version: string;
  readonly sum: string;
  readonly go: string;
}

/** The version of kube-lab and of all tests, as the parts 'kubernetes', 'kube-apiserver' and so on. */
const current: KubernetesRelease = {
  version: '1.36.3',
  sum: 'h1:qDQdoMiluAE2Eab6Fa52YV+WjiGz9mZFFoagEA6cI+o=',
  go: '1.26',
};

/** The two minors before it, newest first, as the parts 'kubernetes@1.35', 'kube-apiserver@1.35' and so on. */
const older: readonly KubernetesRelease[] = [
  { version: '1.35.8', sum: 'h1:nqVTiKGbHuwTNjCn1dvK2tjOFie7J7SUMyZWDNsNHgA=', go: '1.25' },
  { version: '1.34.10', sum: 'h1:mB1KE7E2BonfpnGyim/+csCR5JMAoLsXt2xPXL5+DdY=', go: '1.24' },
];

const programs = ['kube-apiserver', 'kubectl', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'];

/** Every version of Kubernetes, as single programs and as a collection of all. */
export const kubernetesParts: PartTable = {
  ...partsOf(current, ''),
  ...Object.assign({}, ...older.map((release) => partsOf(release, `@${minorOf(release)}`))),
};

/** A version of Kubernetes that the operator is tested on. */
export interface KubernetesVersion {
  /** Such as '1.36'. */
  readonly minor: string;
  readonly version: string;
  /** The name of the collection for `ensurePart`. */
  readonly part: string;
}

/** The current version first. */
export const kubernetesVersions: readonly KubernetesVersion[] = [current, ...older].map((release) => ({
  minor: minorOf(release),
  version: release.version,
  part: release === current ? 'kubernetes' : `kubernetes@${minorOf(release)}`,
}));

function minorOf({ version }: KubernetesRelease): string {
  return version.split('.').slice(0, 2).join('.');
}

function partsOf(release: KubernetesRelease, suffix: string): PartTable {
  return {
    ...Object.fromEntries(programs.map((name) => [`${name}${suffix}`, kubernetes(name, release)])),
    [`kubernetes${suffix}`]: {
      kind: 'collection',
      version: release.version,
      bytesNeeded: 1e6,
      parts: programs.map((name) => `${name}${suffix}`),
    },
  };
}

/** One program of Kubernetes; all are resolved together, so that they use the same modules. */
function kubernetes(name: string, release: KubernetesRelease): GoRecipe {
  const version = `v${release.version}`;
  const path = 'k8s.io/kubernetes';
  return {
    kind: 'go',
    version: release.version,
    go: release.go,
    bytesNeeded: 1.5e9,
    modules: [{ path, version, sum: release.sum }],
    // Its modules have the same numbers with major version 0.
    staging: { version: version.replace('v1.', 'v0.'), commands: programs },
    variables: { 'k8s.io/component-base/version.gitVersion': version },
    programs: [
      {
        name,
        source: { package: `${path}/cmd/${name}` },
        verify:
          name === 'kubectl'
            ? { args: ['version', '--client'], prints: version }
            : { args: ['--version'], prints: version },
      },
    ],
  };
}
