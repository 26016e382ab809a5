// SPDX-License-Identifier: Apache-2.0
import {
  asArray,
  asNumber,
  asObject,
  asObjects,
  asString,
  getIn,
  type Json,
  type JsonObject,
} from '../../json/json.ts';
import { accessModesText, age, conditionStatus, labelsText, nameOf, orNone, type Printer, since } from '../printer.ts';

function keys(value: Json | undefined): number {
  return Object.keys(asObject(value) ?? {}).length;
}

export const configMapCells: Printer = (object, now) => [
  nameOf(object),
  keys(object['data']) + keys(object['binaryData']),
  age(object, now),
];

export const secretCells: Printer = (object, now) => [
  nameOf(object),
  orNone(object['type'], ''),
  keys(object['data']),
  age(object, now),
];

export const namespaceCells: Printer = (object, now) => [
  nameOf(object),
  orNone(getIn(object, 'status', 'phase'), ''),
  age(object, now),
];

export const nameAndAge: Printer = (object, now) => [nameOf(object), age(object, now)];

export const serviceCells: Printer = (object, now) => {
  const spec = asObject(object['spec']) ?? {};
  return [
    nameOf(object),
    orNone(spec['type'], ''),
    orNone(asArray(spec['clusterIPs'])[0]),
    externalAddress(object, spec),
    portsText(asObjects(spec['ports'])),
    age(object, now),
    labelsText(spec['selector']),
  ];
};

function externalAddress(object: JsonObject, spec: JsonObject): string {
  const own = asArray(spec['externalIPs']).map(String);
  switch (spec['type']) {
    case 'ExternalName':
      return orNone(spec['externalName'], '');
    case 'LoadBalancer': {
      const given = asObjects(getIn(object, 'status', 'loadBalancer', 'ingress')).map(({ ip, hostname }) =>
        String(ip ?? hostname),
      );
      const all = [...given, ...own];
      return all.length > 0 ? all.join(',') : '<pending>';
    }
    default:
      return own.length > 0 ? own.join(',') : '<none>';
  }
}

function portsText(ports: readonly JsonObject[]): string {
  if (ports.length === 0) return '<none>';
  const text = ({ port, nodePort, protocol }: JsonObject) =>
    nodePort ? `${String(port)}:${String(nodePort)}/${String(protocol)}` : `${String(port)}/${String(protocol)}`;
  return ports.map(text).join(',');
}

export const endpointsCells: Printer = (object, now) => [nameOf(object), endpointsText(object), age(object, now)];

function endpointsText(object: JsonObject): string {
  const subsets = asObjects(object['subsets']);
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap((subset) => {
    const addresses = asObjects(subset['addresses']).map(({ ip }) => String(ip));
    const ports = asObjects(subset['ports']);
    if (ports.length === 0) return addresses;
    return ports.flatMap(({ port }) => addresses.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${String(port)}`));
  });
  const shown = all.slice(0, 3).join(',');
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}

export const nodeCells: Printer = (object, now) => {
  const ready = conditionStatus(object, 'Ready');
  const status = [ready === undefined ? 'Unknown' : ready === 'True' ? 'Ready' : 'NotReady'];
  if (getIn(object, 'spec', 'unschedulable') === true) status.push('SchedulingDisabled');
  const info = asObject(getIn(object, 'status', 'nodeInfo')) ?? {};
  const kernel = orNone(info['kernelVersion'], '<unknown>');
  return [
    nameOf(object),
    status.join(','),
    rolesOf(object),
    age(object, now),
    orNone(info['kubeletVersion'], ''),
    address(object, 'InternalIP'),
    address(object, 'ExternalIP'),
    orNone(info['osImage'], '<unknown>'),
    info['architecture'] ? `${kernel} (${String(info['architecture'])})` : kernel,
    orNone(info['containerRuntimeVersion'], '<unknown>'),
  ];
};

function rolesOf(object: JsonObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const labels = Object.entries(asObject(getIn(object, 'metadata', 'labels')) ?? {});
  const roles = labels.flatMap(([key, value]) => {
    if (key.startsWith(prefix) && key.length > prefix.length) return [key.slice(prefix.length)];
    return key === 'kubernetes.io/role' && value ? [String(value)] : [];
  });
  return roles.length > 0 ? [...new Set(roles)].sort().join(',') : '<none>';
}

function address(object: JsonObject, type: string): string {
  return orNone(asObjects(getIn(object, 'status', 'addresses')).find((one) => one['type'] === type)?.['address']);
}

function phaseOf(object: JsonObject): string {
  return getIn(object, 'metadata', 'deletionTimestamp') === undefined
    ? orNone(getIn(object, 'status', 'phase'), '')
    : 'Terminating';
}

export const claimCells: Printer = (object, now) => {
  const bound = Boolean(getIn(object, 'spec', 'volumeName'));
  return [
    nameOf(object),
    phaseOf(object),
    orNone(getIn(object, 'spec', 'volumeName'), ''),
    bound ? orNone(getIn(object, 'status', 'capacity', 'storage'), '0') : '',
    bound ? accessModesText(getIn(object, 'status', 'accessModes')) : '',
    orNone(getIn(object, 'spec', 'storageClassName'), ''),
    orNone(getIn(object, 'spec', 'volumeAttributesClassName'), '<unset>'),
    age(object, now),
    orNone(getIn(object, 'spec', 'volumeMode'), '<unset>'),
  ];
};

export const volumeCells: Printer = (object, now) => {
  const claim = asObject(getIn(object, 'spec', 'claimRef'));
  return [
    nameOf(object),
    orNone(getIn(object, 'spec', 'capacity', 'storage'), '0'),
    accessModesText(getIn(object, 'spec', 'accessModes')),
    orNone(getIn(object, 'spec', 'persistentVolumeReclaimPolicy'), ''),
    phaseOf(object),
    claim ? `${String(claim['namespace'])}/${String(claim['name'])}` : '',
    orNone(getIn(object, 'spec', 'storageClassName'), ''),
    orNone(getIn(object, 'spec', 'volumeAttributesClassName'), '<unset>'),
    orNone(getIn(object, 'status', 'reason'), ''),
    age(object, now),
    orNone(getIn(object, 'spec', 'volumeMode'), '<unset>'),
  ];
};

export const eventCells: Printer = (object, now) => {
  const first = since(object['firstTimestamp'] ?? object['eventTime'], now);
  const series = asObject(object['series']);
  const last = since(
    series?.['lastObservedTime'] ?? object['lastTimestamp'] ?? object['firstTimestamp'] ?? object['eventTime'],
    now,
  );
  const involved = asObject(object['involvedObject']) ?? {};
  const kind = (asString(involved['kind']) ?? '').toLowerCase();
  return [
    last,
    orNone(object['type'], ''),
    orNone(object['reason'], ''),
    involved['name'] ? `${kind}/${String(involved['name'])}` : kind,
    orNone(involved['fieldPath'], ''),
    sourceText(object),
    (asString(object['message']) ?? '').trim(),
    first,
    asNumber(series?.['count']) ?? (asNumber(object['count']) || 1),
    nameOf(object),
  ];
};

function sourceText(object: JsonObject): string {
  const component = orNone(getIn(object, 'source', 'component') ?? object['reportingComponent'], '');
  const instance = orNone(getIn(object, 'source', 'host') ?? object['reportingInstance'], '');
  return instance === '' ? component : `${component}, ${instance}`;
}
