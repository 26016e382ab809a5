// SPDX-License-Identifier: Apache-2.0
import { asObject, asObjects, ensureObject, type JsonObject } from '../../json/json.ts';
import { templateDefaults } from '../core/pod-defaults.ts';
import { claimDefaults } from '../core/storage.ts';

export function deploymentDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  templateDefaults(spec);
  spec['replicas'] ??= 1;
  const strategy = ensureObject(spec, 'strategy');
  strategy['type'] ??= 'RollingUpdate';
  if (strategy['type'] === 'RollingUpdate') {
    const rolling = ensureObject(strategy, 'rollingUpdate');
    rolling['maxUnavailable'] ??= '25%';
    rolling['maxSurge'] ??= '25%';
  }
  spec['revisionHistoryLimit'] ??= 10;
  spec['progressDeadlineSeconds'] ??= 600;
}

export function replicaSetDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  templateDefaults(spec);
  spec['replicas'] ??= 1;
}

export function statefulSetDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  templateDefaults(spec);
  spec['podManagementPolicy'] ??= 'OrderedReady';
  const strategy = ensureObject(spec, 'updateStrategy');
  strategy['type'] ??= 'RollingUpdate';
  if (strategy['type'] === 'RollingUpdate') ensureObject(strategy, 'rollingUpdate')['partition'] ??= 0;
  const retention = ensureObject(spec, 'persistentVolumeClaimRetentionPolicy');
  retention['whenDeleted'] ??= 'Retain';
  retention['whenScaled'] ??= 'Retain';
  spec['replicas'] ??= 1;
  spec['revisionHistoryLimit'] ??= 10;
  spec['volumeClaimTemplates'] = asObjects(spec['volumeClaimTemplates']).map((claim) => {
    const template: JsonObject = { kind: 'PersistentVolumeClaim', apiVersion: 'v1', ...claim };
    claimDefaults(template);
    return template;
  });
  if (asObjects(spec['volumeClaimTemplates']).length === 0) delete spec['volumeClaimTemplates'];
}

export function daemonSetDefaults(object: JsonObject): void {
  const spec = asObject(object['spec']);
  if (!spec) return;
  templateDefaults(spec);
  const generation = asObject(object['metadata'])?.['generation'] ?? 1;
  ensureObject(ensureObject(object, 'metadata'), 'annotations')['deprecated.daemonset.template.generation'] ??=
    String(generation);
  const strategy = ensureObject(spec, 'updateStrategy');
  strategy['type'] ??= 'RollingUpdate';
  if (strategy['type'] === 'RollingUpdate') {
    const rolling = ensureObject(strategy, 'rollingUpdate');
    rolling['maxUnavailable'] ??= 1;
    rolling['maxSurge'] ??= 0;
  }
  spec['revisionHistoryLimit'] ??= 10;
}
