// SPDX-License-Identifier: Apache-2.0
import { asArray, asNumber, asObject, asObjects, asString, getIn, type JsonObject } from '../../json/json.ts';
import { selectorText } from '../../selectors/selector-text.ts';
import { age, countAt, nameOf, orNone, type Printer } from '../printer.ts';

export const networkPolicyCells: Printer = (object, now) => [
  nameOf(object),
  orNone(selectorText(asObject(getIn(object, 'spec', 'podSelector')) ?? {})),
  age(object, now),
];

export const ingressCells: Printer = (object, now) => {
  const hosts = asObjects(getIn(object, 'spec', 'rules')).flatMap(({ host }) => (host ? [String(host)] : []));
  const addresses = asObjects(getIn(object, 'status', 'loadBalancer', 'ingress'));
  const shown = hosts.length > 3 ? `${hosts.slice(0, 3).join(',')} + ${hosts.length - 3} more...` : hosts.join(',');
  return [
    nameOf(object),
    orNone(getIn(object, 'spec', 'ingressClassName')),
    shown || '*',
    addresses.map(({ ip, hostname }) => String(ip ?? hostname ?? '')).join(','),
    asArray(getIn(object, 'spec', 'tls')).length > 0 ? '80, 443' : '80',
    age(object, now),
  ];
};

export const ingressClassCells: Printer = (object, now) => {
  const parameters = asObject(getIn(object, 'spec', 'parameters'));
  const group = asString(parameters?.['apiGroup']) ?? '';
  const kind = `${String(parameters?.['kind'])}${group ? `.${group}` : ''}`;
  return [
    nameOf(object),
    orNone(getIn(object, 'spec', 'controller')),
    parameters ? `${kind}/${String(parameters['name'])}` : '<none>',
    age(object, now),
  ];
};

export const serviceCidrCells: Printer = (object, now) => [
  nameOf(object),
  asArray(getIn(object, 'spec', 'cidrs'))
    .map(String)
    .join(','),
  age(object, now),
];

export const priorityClassCells: Printer = (object, now) => [
  nameOf(object),
  countAt(object, 'value'),
  object['globalDefault'] === true,
  age(object, now),
  orNone(object['preemptionPolicy'], ''),
];

export const runtimeClassCells: Printer = (object, now) => [
  nameOf(object),
  orNone(object['handler'], ''),
  age(object, now),
];

export const quotaCells: Printer = (object, now) => {
  const hard = Object.entries(asObject(getIn(object, 'status', 'hard')) ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = (isLimit: boolean) =>
    hard
      .filter(([name]) => name.startsWith('limits') === isLimit)
      .map(([name, amount]) => `${name}: ${orNone(getIn(object, 'status', 'used', name), '0')}/${String(amount)}`)
      .join(', ');
  return [nameOf(object), text(false), text(true), age(object, now)];
};

export const policyCells: Printer = (object, now) => {
  const kind = asObject(getIn(object, 'spec', 'paramKind'));
  return [
    nameOf(object),
    asArray(getIn(object, 'spec', 'validations')).length,
    kind ? `${String(kind['apiVersion'])}/${String(kind['kind'])}` : '<unset>',
    age(object, now),
  ];
};

export const policyBindingCells: Printer = (object, now) => {
  const { namespace, name } = asObject(getIn(object, 'spec', 'paramRef')) ?? {};
  const parameter = namespace ? `${String(namespace)}/${String(name)}` : String(name ?? '*');
  return [
    nameOf(object),
    orNone(getIn(object, 'spec', 'policyName')),
    getIn(object, 'spec', 'paramRef') === undefined ? '<unset>' : parameter,
    age(object, now),
  ];
};

/** One metric as `cpu: <unknown>/80%`: it is never measured here. */
function metricText(metric: JsonObject): string {
  const source = asObject(Object.values(metric).find((value) => asObject(value))) ?? {};
  const name = asString(source['name']) ?? asString(getIn(source, 'metric', 'name')) ?? '';
  const target = asObject(source['target']) ?? {};
  const share = asNumber(target['averageUtilization']);
  const wanted = share === undefined ? String(target['averageValue'] ?? target['value'] ?? '') : `${share}%`;
  return metric['type'] === 'Resource' ? `${name}: <unknown>/${wanted}` : `<unknown>/${wanted}`;
}

export const autoscalerCells: Printer = (object, now) => {
  const spec = asObject(object['spec']) ?? {};
  const target = asObject(spec['scaleTargetRef']) ?? {};
  const metrics = asObjects(spec['metrics']).map(metricText);
  return [
    nameOf(object),
    `${String(target['kind'])}/${String(target['name'])}`,
    metrics.length === 0 ? '<none>' : metrics.join(', '),
    orNone(spec['minReplicas'], '<unset>'),
    countAt(object, 'spec', 'maxReplicas'),
    countAt(object, 'status', 'currentReplicas'),
    age(object, now),
  ];
};
