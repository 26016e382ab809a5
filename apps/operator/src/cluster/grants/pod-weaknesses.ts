// SPDX-License-Identifier: Apache-2.0
import type { PodSecurityContext, SecurityContext } from '@operator-parts/kube';
import type { PodPolicy } from '../../api/etcd-cluster.ts';

/** Says what is wrong with the value of a field, as text that follows the path of the field; empty if nothing is wrong. */
type Check<T> = (value: T) => readonly string[];

type Checks<T> = { readonly [K in keyof T]-?: Check<NonNullable<T[K]>> };

const anything: Check<unknown> = () => [];
const not =
  (bad: boolean | number): Check<boolean | number> =>
  (value) =>
    value === bad ? [` is ${bad}`] : [];

/** Fields that pods and containers share. A field that a new Kubernetes version adds does not compile until it is listed here. */
const shared = {
  runAsUser: not(0),
  runAsNonRoot: not(false),
  runAsGroup: anything,
  seccompProfile: ({ type }) => only('.type', type, ['RuntimeDefault', 'Localhost']),
  appArmorProfile: ({ type }) => only('.type', type, ['RuntimeDefault', 'Localhost']),
  seLinuxOptions: ({ type = '', user, role }) => [
    ...only('.type', type, ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t']),
    ...(user ? [`.user is ${clip(user)}`] : []),
    ...(role ? [`.role is ${clip(role)}`] : []),
  ],
  windowsOptions: ({ hostProcess }) => (hostProcess ? ['.hostProcess is true'] : []),
} satisfies Partial<Checks<SecurityContext>>;

const ofPod: Checks<PodSecurityContext> = {
  ...shared,
  fsGroup: anything,
  fsGroupChangePolicy: anything,
  supplementalGroups: anything,
  supplementalGroupsPolicy: anything,
  seLinuxChangePolicy: anything,
  sysctls: (sysctls) => sysctls.flatMap(({ name }, index) => only(`[${index}].name`, name, safeSysctls)),
};

const ofContainer: Checks<SecurityContext> = {
  ...shared,
  privileged: not(true),
  allowPrivilegeEscalation: not(true),
  readOnlyRootFilesystem: anything,
  procMount: (value) => only('', value, ['Default']),
  capabilities: ({ add = [], drop = ['ALL'] }) => [
    ...add.flatMap((name, index) => only(`.add[${index}]`, name, ['NET_BIND_SERVICE'])),
    ...(drop.includes('ALL') ? [] : ['.drop is without ALL']),
  ],
};

/** These sysctls affect nothing outside the pod. */
const safeSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
];

const appArmor = 'container.apparmor.security.beta.kubernetes.io/';

/**
 * Lists what a spec sets although the *restricted* Pod Security Standard forbids it, each as a sentence with its path. This is an
 * allow-list: a field or value that is not known to be harmless is reported. `spec.pod` has no fields for host namespaces, host volumes and
 * other service accounts, and such fields are not passed on.
 */
export function podWeaknesses({
  securityContext,
  containerSecurityContext,
  annotations = {},
}: PodPolicy): readonly string[] {
  return [
    ...weaknesses('spec.pod.securityContext', ofPod, securityContext),
    ...weaknesses('spec.pod.containerSecurityContext', ofContainer, containerSecurityContext),
    ...Object.entries(annotations)
      .filter(([key, value]) => key.startsWith(appArmor) && !isProfile(value))
      .map(([key, value]) => `spec.pod.annotations["${clip(key)}"] is ${clip(value)}`),
  ];
}

function weaknesses(path: string, checks: Readonly<Record<string, Check<never>>>, context: object = {}) {
  return Object.entries(context).flatMap(([field, value]) => {
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined;
    const found = check ? check(value as never) : [' is not known to be safe'];
    return found.map((words) => `${path}.${clip(field)}${words}`);
  });
}

function only(field: string, value: string, allowed: readonly string[]): readonly string[] {
  return allowed.includes(value) ? [] : [`${field} is ${clip(value)}`];
}

function isProfile(value: string): boolean {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/');
}

/** Shortens a user's text for a message. */
function clip(text: string): string {
  return text.length > 64 ? `${text.slice(0, 63)}…` : text;
}
