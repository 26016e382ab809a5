// SPDX-License-Identifier: Apache-2.0
import type { AdmissionStep } from '../admission/admission-request.ts';
import { asObject, getIn, type JsonObject } from '../json/json.ts';
import { forbidden } from '../server/api-error.ts';
import type { Core } from '../server/core.ts';
import type { Identity } from '../server/identity.ts';
import { type PolicyRule, rulesOf, ruleText, uncovered } from './policy-rule.ts';

const group = 'rbac.authorization.k8s.io';

/**
 * Refuses a role or binding that would grant rights which the requesting user does not have, unless the user may
 * `escalate` the role or `bind` it.
 */
export const escalationCheck: AdmissionStep = ({ call, operation, object, namespace, name }) => {
  const { resource, core, identity, info } = call;
  if (resource.group !== group || !object || info.subresource !== '') return;
  if (operation !== 'CREATE' && operation !== 'UPDATE') return;
  if (identity.groups.includes('system:masters')) return;
  const isRole = resource.plural === 'roles' || resource.plural === 'clusterroles';
  const verb = isRole ? 'escalate' : 'bind';
  const target = isRole ? { plural: resource.plural, name } : boundRole(object);
  const attributes = {
    kind: 'resource',
    verb,
    group,
    resource: target.plural,
    subresource: '',
    namespace,
    name: target.name,
  } as const;
  if (core.authorizer.decide(identity, attributes).allowed) return;
  const wanted = isRole ? rulesOf(object) : rulesOf(roleOf(core, object, namespace) ?? {});
  const missing = wanted.flatMap((rule) => uncovered(rule, core.authorizer.rulesFor(identity, namespace)));
  if (missing.length > 0) throw forbidden(resource, name, escalationText(identity, missing));
};

function boundRole(binding: JsonObject): { readonly plural: string; readonly name: string } {
  const kind = getIn(binding, 'roleRef', 'kind');
  return { plural: kind === 'Role' ? 'roles' : 'clusterroles', name: String(getIn(binding, 'roleRef', 'name')) };
}

function roleOf(core: Core, binding: JsonObject, namespace: string): JsonObject | undefined {
  const { plural, name } = boundRole(binding);
  return asObject(core.store.get(`${plural}.${group}`, plural === 'roles' ? `${namespace}/${name}` : name)?.object);
}

function escalationText({ user, groups }: Identity, missing: readonly PolicyRule[]): string {
  const who = `user ${JSON.stringify(user)} (groups=[${groups.map((one) => JSON.stringify(one)).join(' ')}])`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${missing.map(ruleText).join('\n')}`;
}
