// SPDX-License-Identifier: Apache-2.0
import type { Problem } from '../declaration-error.ts';
import type { KindFacts } from '../kind.ts';

const label = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;
const domain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** The annotation that the API server requires for groups below `k8s.io` and `kubernetes.io`. */
const approval = 'api-approved.kubernetes.io';

function isApproved(by: string): boolean {
  return by.startsWith('unapproved') || URL.canParse(by);
}

/** Names that the API server would refuse, or that are reserved for Kubernetes. */
export function checkNames(facts: KindFacts): readonly Problem[] {
  const problems: Problem[] = [];
  const check = (path: string, value: string, pattern: RegExp, shape: string) => {
    if (!pattern.test(value) || value.length > 253) problems.push({ path, message: `"${value}" must be ${shape}` });
  };
  check('group', facts.group, domain, 'a domain in lower case with at least one dot');
  if (/(^|\.)(k8s|kubernetes)\.io$/.test(facts.group) && !isApproved(facts.annotations?.[approval] ?? '')) {
    const remedy = `use a domain of your own, or annotate it ${approval} with a URL or a reason that starts with "unapproved"`;
    problems.push({ path: 'group', message: `${facts.group} is reserved for Kubernetes itself: ${remedy}` });
  }
  check('version', facts.version, label, 'a name in lower case, such as v1beta2');
  check('kind', facts.kind, /^[A-Z][A-Za-z0-9]{0,62}$/, 'a name in CamelCase');
  const names = { plural: [facts.plural], singular: [facts.singular ?? facts.kind.toLowerCase()] };
  for (const [path, values] of Object.entries({
    ...names,
    shortNames: facts.shortNames ?? [],
    categories: facts.categories ?? [],
  })) {
    for (const value of values) check(path, value, label, 'a name in lower case');
  }
  return problems;
}
