// SPDX-License-Identifier: Apache-2.0
import type { JsonObject } from '../json/json.ts';
import { badRequest } from '../server/api-error.ts';

/** One condition on a label. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';
  readonly values: readonly string[];
}

const requirement =
  /\s*(?:(?<absent>!)\s*(?<absentKey>[^\s,=!()<>]+)|(?<key>[^\s,=!()<>]+)\s*(?:(?<equal>==|=|!=|>|<)\s*(?<value>[^\s,=!()<>]*)|(?<set>in|notin)\s*\((?<values>[^()]*)\))?)\s*(?:,|$)/uy;

/** Reads `app=etcd,tier in (a,b),!canary`. Throws a 400 for what cannot be read. */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  const found: LabelRequirement[] = [];
  requirement.lastIndex = 0;
  while (requirement.lastIndex < text.length) {
    const at = requirement.lastIndex;
    const { groups } = requirement.exec(text) ?? {};
    if (!groups) throw badRequest(`unable to parse requirement: found '${text.slice(at)}'`);
    found.push(toRequirement(groups));
  }
  return found;
}

function toRequirement(groups: Readonly<Record<string, string | undefined>>): LabelRequirement {
  const { absentKey, key = '', equal, value = '', set, values = '' } = groups;
  if (absentKey !== undefined) return { key: absentKey, operator: '!', values: [] };
  if (set !== undefined) {
    return { key, operator: set as 'in' | 'notin', values: values.split(',').map((one) => one.trim()) };
  }
  if (equal === undefined) return { key, operator: 'exists', values: [] };
  if (equal === '>' || equal === '<') return { key, operator: equal === '>' ? 'gt' : 'lt', values: [value] };
  return { key, operator: equal === '!=' ? 'notin' : 'in', values: [value] };
}

/** True if the labels meet every requirement. */
export function matchesLabels(requirements: readonly LabelRequirement[], labels: JsonObject): boolean {
  return requirements.every((one) => matchesOne(one, labels[one.key] as string | undefined));
}

function matchesOne({ operator, values }: LabelRequirement, label: string | undefined): boolean {
  switch (operator) {
    case 'exists':
      return label !== undefined;
    case '!':
      return label === undefined;
    case 'in':
      return label !== undefined && values.includes(label);
    case 'notin':
      return label === undefined || !values.includes(label);
    case 'gt':
      return label !== undefined && Number(label) > Number(values[0]);
    case 'lt':
      return label !== undefined && Number(label) < Number(values[0]);
  }
}
