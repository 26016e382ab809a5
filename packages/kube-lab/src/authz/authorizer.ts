// SPDX-License-Identifier: Apache-2.0
import { asObject, asObjects, asString, getIn, type JsonObject } from '../json/json.ts';
import type { Identity } from '../server/identity.ts';
import type { Store } from '../storage/store.ts';
import { type Attributes, allows, type PolicyRule, rulesOf } from './policy-rule.ts';

const group = 'rbac.authorization.k8s.io';

/** Whether a user may do something, and why. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** A role that a user has through a binding. */
interface Grant {
  readonly rules: readonly PolicyRule[];
  readonly because: string;
}

/** Role-based access control by the currently stored roles and bindings. */
export class Authorizer {
  readonly #store: Pick<Store, 'get' | 'list'>;
  readonly #allowAll: boolean;

  constructor(store: Pick<Store, 'get' | 'list'>, allowAll: boolean) {
    this.#store = store;
    this.#allowAll = allowAll;
  }

  decide(identity: Identity, attributes: Attributes): Decision {
    if (this.#allowAll || identity.groups.includes('system:masters')) return { allowed: true, reason: '' };
    const problems: string[] = [];
    const namespace = attributes.kind === 'resource' ? attributes.namespace : '';
    for (const { rules, because } of this.#grants(identity, namespace, problems)) {
      if (rules.some((rule) => allows(rule, attributes)))
        return { allowed: true, reason: `RBAC: allowed by ${because}` };
    }
    return { allowed: false, reason: problems.length > 0 ? `RBAC: ${problems.join(', ')}` : '' };
  }

  /** All rules that apply to a user in a namespace (and in the cluster). */
  rulesFor(identity: Identity, namespace: string): readonly PolicyRule[] {
    const all = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] };
    const paths = { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] };
    if (this.#allowAll || identity.groups.includes('system:masters')) return [all, paths];
    return [...this.#grants(identity, namespace, [])].flatMap(({ rules }) => rules);
  }

  *#grants(identity: Identity, namespace: string, problems: string[]): Generator<Grant> {
    for (const { object } of this.#store.list(`clusterrolebindings.${group}`)) {
      yield* this.#grant(object, 'ClusterRoleBinding', '', identity, problems);
    }
    if (namespace === '') return;
    for (const { object } of this.#store.list(`rolebindings.${group}`, `${namespace}/`)) {
      yield* this.#grant(object, 'RoleBinding', namespace, identity, problems);
    }
  }

  *#grant(
    binding: JsonObject,
    kind: string,
    namespace: string,
    identity: Identity,
    problems: string[],
  ): Generator<Grant> {
    const subject = asObjects(binding['subjects']).find((one) => isSubject(one, identity, namespace));
    if (!subject) return;
    const reference = asObject(binding['roleRef']) ?? {};
    const role = this.#role(reference, namespace);
    if (!role) {
      problems.push(
        `${String(reference['kind']).toLowerCase()}.${group} ${JSON.stringify(reference['name'])} not found`,
      );
      return;
    }
    const name = asString(getIn(binding, 'metadata', 'name')) ?? '';
    const place = namespace === '' ? name : `${name}/${namespace}`;
    const because = `${kind} ${JSON.stringify(place)} of ${String(reference['kind'])} ${JSON.stringify(reference['name'])} to ${subjectText(subject)}`;
    yield { rules: rulesOf(role), because };
  }

  #role(reference: JsonObject, namespace: string): JsonObject | undefined {
    const name = String(reference['name']);
    if (reference['kind'] === 'ClusterRole') return this.#store.get(`clusterroles.${group}`, name)?.object;
    return this.#store.get(`roles.${group}`, `${namespace}/${name}`)?.object;
  }
}

function isSubject(subject: JsonObject, { user, groups }: Identity, namespace: string): boolean {
  const name = String(subject['name']);
  switch (subject['kind']) {
    case 'User':
      return user === name;
    case 'Group':
      return groups.includes(name);
    case 'ServiceAccount':
      return user === `system:serviceaccount:${String(subject['namespace'] || namespace)}:${name}`;
    default:
      return false;
  }
}

function subjectText(subject: JsonObject): string {
  const name = String(subject['name']);
  const shown = subject['kind'] === 'ServiceAccount' ? `${name}/${String(subject['namespace'])}` : name;
  return `${String(subject['kind'])} ${JSON.stringify(shown)}`;
}
