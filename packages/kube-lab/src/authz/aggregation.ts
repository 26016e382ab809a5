// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asObjects, equalJson, getIn, type JsonObject } from '../json/json.ts';
import { matchesLabelSelector } from '../selectors/label-selector-object.ts';
import type { Core } from '../server/core.ts';
import { updateStored } from '../server/system-writer.ts';

const collection = 'clusterroles.rbac.authorization.k8s.io';

/** Keeps the rules of aggregated cluster roles up to date. Returns a function that stops it. */
export function startAggregation(core: Core): () => void {
  const resource = core.registry.find('rbac.authorization.k8s.io', 'v1', 'clusterroles');
  if (!resource) throw new Error('the captured API has no clusterroles');
  const pass = (): boolean => {
    const roles = core.store.list(collection);
    let changed = false;
    for (const { key, object } of roles) {
      const selectors = asObjects(getIn(object, 'aggregationRule', 'clusterRoleSelectors'));
      if (selectors.length === 0) continue;
      const others = roles.filter((one) => one.key !== key).map((one) => one.object);
      const rules = collectRules(others, selectors);
      if (equalJson(rules, asArray(object['rules']))) continue;
      changed = true;
      updateStored(
        core,
        resource,
        key,
        (role) => {
          role['rules'] = rules;
          return true;
        },
        { manager: 'clusterrole-aggregation-controller' },
      );
    }
    return changed;
  };
  // Aggregated roles may aggregate others: repeat until nothing changes.
  const aggregate = () => {
    for (let rounds = 0; rounds < 10 && pass(); rounds++);
  };
  aggregate();
  return core.store.watch(collection, core.store.revision, aggregate);
}

function collectRules(roles: readonly JsonObject[], selectors: readonly JsonObject[]): JsonObject[] {
  const selected = selectors.flatMap((selector) =>
    roles.filter((role) => matchesLabelSelector(selector, asObject(getIn(role, 'metadata', 'labels')) ?? {})),
  );
  const rules: JsonObject[] = [];
  for (const rule of selected.flatMap((role) => asObjects(role['rules']))) {
    if (!rules.some((one) => equalJson(one, rule))) rules.push(rule);
  }
  return rules;
}
