// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, asString, type JsonObject } from '../../json/json.ts';
import { containersText, type PodView, plural, quoted, settersText, sortedTexts } from './pod-view.ts';

/** A violation of a check: the reason, and the pod or containers that cause it. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type Check = (pod: PodView) => Violation | undefined;

/** Checks by name. Violations are reported in this order. */
export type Checks = Readonly<Record<string, Check>>;

const allowedCapabilities = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);

const capabilities: Check = ({ containers }) => {
  const added = (security: JsonObject) =>
    asArray(asObject(security['capabilities'])?.['add']).filter((name) => !allowedCapabilities.has(String(name)));
  const bad = containers.filter(({ security }) => added(security).length > 0);
  if (bad.length === 0) return undefined;
  const names = sortedTexts(bad.flatMap(({ security }) => added(security)));
  const detail = `${containersText(bad)} must not include ${quoted(names)} in securityContext.capabilities.add`;
  return { reason: 'non-default capabilities', detail };
};

const appArmor: Check = ({ security, containers }) => {
  const type = (context: JsonObject) => asString(asObject(context['appArmorProfile'])?.['type']);
  const isBad = (context: JsonObject) => !['RuntimeDefault', 'Localhost', undefined].includes(type(context));
  const bad = containers.filter((one) => isBad(one.security));
  const setters = settersText(isBad(security), bad);
  if (!setters) return undefined;
  const values = sortedTexts([security, ...bad.map((one) => one.security)].filter(isBad).map(type));
  const reason = plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', values.length);
  return { reason, detail: `${setters} must not set AppArmor profile type to ${quoted(values)}` };
};

const hostNamespaces: Check = ({ spec }) => {
  const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((key) => spec[key] === true);
  return used.length === 0
    ? undefined
    : { reason: 'host namespaces', detail: used.map((key) => `${key}=true`).join(', ') };
};

const hostPathVolumes: Check = ({ spec }) => {
  const bad = asObjects(spec['volumes']).filter((volume) => volume['hostPath'] !== undefined);
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => String(name));
  return { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', names.length)} ${quoted(names)}` };
};

const hostPorts: Check = ({ containers }) => {
  const ports = (container: JsonObject) =>
    asObjects(container['ports']).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const bad = containers.filter(({ container }) => ports(container).length > 0);
  if (bad.length === 0) return undefined;
  const all = sortedTexts(bad.flatMap(({ container }) => ports(container)));
  const what = `${plural('uses', 'use', bad.length)} ${plural('hostPort', 'hostPorts', all.length)} ${all.join(', ')}`;
  return { reason: 'hostPort', detail: `${containersText(bad)} ${what}` };
};

const handlers = [
  ['livenessProbe'],
  ['readinessProbe'],
  ['startupProbe'],
  ['lifecycle', 'postStart'],
  ['lifecycle', 'preStop'],
] as const;

const hostHandlers: Check = ({ containers }) => {
  const hosts = (container: JsonObject) =>
    handlers.flatMap((path) => {
      const handler = path.reduce<JsonObject | undefined>((at, key) => asObject(at?.[key]), container);
      const given = ['httpGet', 'tcpSocket'].map((kind) => asString(asObject(handler?.[kind])?.['host']) ?? '');
      return given.filter((host) => host !== '');
    });
  const bad = containers.filter(({ container }) => hosts(container).length > 0);
  if (bad.length === 0) return undefined;
  const reason = 'probe or lifecycle host';
  const all = sortedTexts(bad.flatMap(({ container }) => hosts(container)));
  const sorted = bad.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const what = `${plural('uses', 'use', bad.length)} ${plural(reason, `${reason}s`, all.length)} ${quoted(all)}`;
  return { reason, detail: `${containersText(sorted)} ${what}` };
};

const privileged: Check = ({ containers }) => {
  const bad = containers.filter(({ security }) => security['privileged'] === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${containersText(bad)} must not set securityContext.privileged=true` };
};

/**
 * The baseline level exempts pods with a user namespace (`hostUsers: false`) from this check; the restricted level does
 * not.
 */
export const procMount: Check = ({ containers }) => {
  const bad = containers.filter(({ security }) => !['Default', undefined].includes(asString(security['procMount'])));
  if (bad.length === 0) return undefined;
  const types = sortedTexts(bad.map(({ security }) => security['procMount']));
  return {
    reason: 'procMount',
    detail: `${containersText(bad)} must not set securityContext.procMount to ${quoted(types)}`,
  };
};

const linuxTypes = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t']);

const seLinuxOptions: Check = ({ security, containers }) => {
  const options = (context: JsonObject) => asObject(context['seLinuxOptions']);
  const type = (context: JsonObject) => asString(options(context)?.['type']) ?? '';
  const isBad = (context: JsonObject) =>
    !linuxTypes.has(type(context)) || Boolean(options(context)?.['user'] || options(context)?.['role']);
  const bad = containers.filter((one) => isBad(one.security));
  const setters = settersText(isBad(security), bad);
  if (!setters) return undefined;
  const contexts = [security, ...bad.map((one) => one.security)].filter(isBad);
  const types = sortedTexts(contexts.map(type).filter((one) => !linuxTypes.has(one)));
  const data = [
    ...(types.length > 0 ? [`${plural('type', 'types', types.length)} ${quoted(types)}`] : []),
    ...['user', 'role']
      .filter((key) => contexts.some((one) => options(one)?.[key]))
      .map((key) => `${key} may not be set`),
  ];
  return {
    reason: 'seLinuxOptions',
    detail: `${setters} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}`,
  };
};

/** Refuses seccomp profiles other than RuntimeDefault and Localhost. */
export const badSeccomp: Check = ({ security, containers }) => {
  const type = (context: JsonObject) => asString(asObject(context['seccompProfile'])?.['type']);
  const isBad = (context: JsonObject) => !['RuntimeDefault', 'Localhost', undefined].includes(type(context));
  const bad = containers.filter((one) => isBad(one.security));
  const setters = settersText(isBad(security), bad);
  if (!setters) return undefined;
  const values = sortedTexts([security, ...bad.map((one) => one.security)].filter(isBad).map(type));
  return {
    reason: 'seccompProfile',
    detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(values)}`,
  };
};

const allowedSysctls = new Set([
  'kernel.shm_rmid_forced',
  ...[
    'ip_local_port_range',
    'tcp_syncookies',
    'ping_group_range',
    'ip_unprivileged_port_start',
    'ip_local_reserved_ports',
    'tcp_keepalive_time',
    'tcp_fin_timeout',
    'tcp_keepalive_intvl',
    'tcp_keepalive_probes',
    'tcp_rmem',
    'tcp_wmem',
  ].map((name) => `net.ipv4.${name}`),
]);

const sysctls: Check = ({ security }) => {
  const names = asObjects(security['sysctls']).map(({ name }) => String(name));
  const bad = names.filter((name) => !allowedSysctls.has(name));
  return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
};

const windowsHostProcess: Check = ({ security, containers }) => {
  const isBad = (context: JsonObject) => asObject(context['windowsOptions'])?.['hostProcess'] === true;
  const setters = settersText(
    isBad(security),
    containers.filter((one) => isBad(one.security)),
  );
  if (!setters) return undefined;
  return { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
};

/** The checks of the baseline level. */
export const baselineChecks: Checks = {
  appArmorProfile: appArmor,
  capabilities_baseline: capabilities,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbesAndHostLifecycle: hostHandlers,
  privileged,
  procMount: (pod) => (pod.spec['hostUsers'] === false ? undefined : procMount(pod)),
  seLinuxOptions,
  seccompProfile_baseline: badSeccomp,
  sysctls,
  windowsHostProcess,
};
