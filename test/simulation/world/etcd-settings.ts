// SPDX-License-Identifier: Apache-2.0
import type { Pod } from '@operator-parts/kube';
import type { BootValues } from '../etcd/boot.ts';
import type { MemberSettings } from '../etcd/member.ts';

/** What a pod's etcd is started with: its command line with variables put in, its environment and its image's tag. */
export function settingsOf(pod: Pod): {
  readonly settings: MemberSettings;
  readonly boot: BootValues;
  /** The names of the other members that it is told of. */
  readonly others: readonly string[];
  /** Names of which the init container waits for one. They stay what they were when the pod was made. */
  readonly awaited: readonly string[];
} {
  const [container] = pod.spec?.containers ?? [];
  const env = new Map((container?.env ?? []).map((variable) => [variable.name, textOf(variable, pod)]));
  const filled = (container?.command ?? []).map((word) =>
    word.replace(/\$\((\w+)\)/g, (_, name: string) => env.get(name) ?? ''),
  );
  const flag = (name: string) => filled.find((word) => word.startsWith(`--${name}=`))?.slice(name.length + 3) ?? '';
  const version = versionIn(container?.image);
  const knowsLimit = !version.startsWith('3.5.');
  const boot = {
    initialCluster: flag('initial-cluster'),
    state: flag('initial-cluster-state'),
    token: flag('initial-cluster-token'),
  };
  const own = flag('initial-advertise-peer-urls');
  const urls = boot.initialCluster.split(',').flatMap((part) => part.split('=')[1] ?? []);
  const others = urls.filter((url) => url !== own && URL.canParse(url)).map((url) => new URL(url).hostname);
  return {
    settings: {
      name: flag('name'),
      peerUrls: own.split(','),
      clientUrls: flag('advertise-client-urls').split(','),
      version,
      snapshotCount: Number(env.get('ETCD_SNAPSHOT_COUNT') || (knowsLimit ? 10_000 : 100_000)),
      maxLearners: knowsLimit ? Number(env.get('ETCD_MAX_LEARNERS') ?? 1) : 1,
    },
    boot,
    others,
    awaited: pod.spec?.initContainers?.find(({ name }) => name === 'check-dns')?.command?.slice(6) ?? [],
  };
}

/** Where a pod's etcd listens for clients, whether other members get through to it, and on which of its volumes it works. */
export function placeIn({ spec }: Pod): {
  readonly clientPort: number;
  readonly isAlone: boolean;
  readonly volume: string;
} {
  const [container] = spec?.containers ?? [];
  const listens = (flag: string) => container?.command?.find((word) => word.startsWith(`--listen-${flag}-urls=`)) ?? '';
  return {
    // On loopback nobody finds it.
    clientPort: listens('client').includes('//127.0.0.1:') ? 0 : Number(/:(\d+)$/.exec(listens('client'))?.[1] ?? 2379),
    isAlone: listens('peer').includes('//127.0.0.1:'),
    volume: container?.volumeMounts?.find(({ mountPath }) => mountPath === '/var/etcd')?.name ?? 'etcd-data',
  };
}

/** The etcd in an image, by its tag. */
export function versionIn(image: string | undefined): string {
  return /:v?(\d+\.\d+\.\d+)/.exec(image ?? '')?.[1] ?? '0.0.0';
}

/** No registry has an image of such a version. */
export function isMissingImage(image: string | undefined): boolean {
  return versionIn(image).endsWith('.99');
}

type Variable = NonNullable<NonNullable<NonNullable<Pod['spec']>['containers'][number]['env']>[number]>;

function textOf(variable: Variable, pod: Pod): string {
  const path = /annotations\['(.*)'\]/.exec(variable.valueFrom?.fieldRef?.fieldPath ?? '')?.[1];
  return variable.value ?? (path === undefined ? '' : (pod.metadata?.annotations?.[path] ?? ''));
}
