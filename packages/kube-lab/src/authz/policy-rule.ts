// SPDX-License-Identifier: Apache-2.0
import { asArray, asObjects, type JsonObject } from '../json/json.ts';

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The attributes of a request. */
export type Attributes =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

/** The rules of a stored role. */
export function rulesOf(role: JsonObject): readonly PolicyRule[] {
  return asObjects(role['rules']).map((rule) => {
    const list = (key: string) => asArray(rule[key]).map(String);
    return {
      verbs: list('verbs'),
      apiGroups: list('apiGroups'),
      resources: list('resources'),
      resourceNames: list('resourceNames'),
      nonResourceURLs: list('nonResourceURLs'),
    };
  });
}

/** True if a rule allows a request. */
export function allows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!has(rule.verbs, attributes.verb)) return false;
  if (attributes.kind === 'path') return rule.nonResourceURLs.some((url) => matchesPath(url, attributes.path));
  const { group, resource, subresource, name } = attributes;
  if (!has(rule.apiGroups, group) || !matchesResource(rule.resources, resource, subresource)) return false;
  return rule.resourceNames.length === 0 || rule.resourceNames.includes(name);
}

function has(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

function matchesResource(list: readonly string[], resource: string, subresource: string): boolean {
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return has(list, full) || (subresource !== '' && list.includes(`*/${subresource}`));
}

function matchesPath(url: string, path: string): boolean {
  return url === '*' || url === path || (url.endsWith('*') && path.startsWith(url.slice(0, -1)));
}

/** The parts of a rule that `held` does not cover: the rights that a user would gain. */
export function uncovered(rule: PolicyRule, held: readonly PolicyRule[]): readonly PolicyRule[] {
  return breakdown(rule).filter((part) => !held.some((one) => covers(one, part)));
}

/** Splits a rule into rules with one verb, one group, one resource and one name each. */
function breakdown(rule: PolicyRule): readonly PolicyRule[] {
  const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  const names = rule.resourceNames.length > 0 ? rule.resourceNames.map((name) => [name]) : [[]];
  return rule.verbs.flatMap((verb) => [
    ...rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        names.map((resourceNames) => ({
          ...none,
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames,
        })),
      ),
    ),
    ...rule.nonResourceURLs.map((url) => ({ ...none, verbs: [verb], nonResourceURLs: [url] })),
  ]);
}

function covers(held: PolicyRule, part: PolicyRule): boolean {
  const [verb = ''] = part.verbs;
  if (!has(held.verbs, verb)) return false;
  const [url] = part.nonResourceURLs;
  if (url !== undefined) return held.nonResourceURLs.some((own) => matchesPath(own, url));
  const [group = ''] = part.apiGroups;
  const [resource = '', subresource = ''] = (part.resources[0] ?? '').split('/');
  if (!has(held.apiGroups, group) || !matchesResource(held.resources, resource, subresource)) return false;
  return (
    held.resourceNames.length === 0 ||
    (part.resourceNames.every((name) => held.resourceNames.includes(name)) && part.resourceNames.length > 0)
  );
}

/** A rule as messages show it: `{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`. */
export function ruleText(rule: PolicyRule): string {
  const list = (values: readonly string[]) => `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['ResourceNames', rule.resourceNames],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['Verbs', rule.verbs],
  ] as const;
  return `{${parts
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name}:${list(values)}`)
    .join(', ')}}`;
}
