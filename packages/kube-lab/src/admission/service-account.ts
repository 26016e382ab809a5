// SPDX-License-Identifier: Apache-2.0

import { generatedName } from '../handlers/generate-name.ts';
import { asArray, asObject, asObjects, asString, ensureObject, getIn, type JsonObject } from '../json/json.ts';
import { forbidden } from '../server/api-error.ts';
import type { AdmissionRequest, AdmissionStep } from './admission-request.ts';

const tokenMountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Sets a service account on every pod and, unless disabled, adds the volume with its token. */
export const serviceAccountAdmission: AdmissionStep = (request) => {
  const { call, operation, object, namespace, name } = request;
  const { resource, core, info } = call;
  if (resource.collection !== 'pods' || operation !== 'CREATE' || info.subresource !== '' || !object) return;
  const spec = ensureObject(object, 'spec');
  if (getIn(object, 'metadata', 'annotations', 'kubernetes.io/config.mirror') !== undefined) return;
  const account = asString(spec['serviceAccountName']) || 'default';
  spec['serviceAccountName'] = account;
  spec['serviceAccount'] = account;
  const stored = core.store.get('serviceaccounts', `${namespace}/${account}`);
  if (!stored) {
    const why = `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`;
    throw forbidden(resource, name || 'Unknown', why);
  }
  const secrets = asArray(stored.object['imagePullSecrets']);
  if (asArray(spec['imagePullSecrets']).length === 0 && secrets.length > 0) spec['imagePullSecrets'] = [...secrets];
  const wanted = spec['automountServiceAccountToken'] ?? stored.object['automountServiceAccountToken'] ?? true;
  if (wanted === true) mountToken(request, spec);
};

function mountToken({ call }: AdmissionRequest, spec: JsonObject): void {
  const containers = ['initContainers', 'containers'].flatMap((list) => asObjects(spec[list]));
  const bare = containers.filter(
    (container) => !asObjects(container['volumeMounts']).some((mount) => mount['mountPath'] === tokenMountPath),
  );
  if (bare.length === 0) return;
  const volumes = asArray(spec['volumes']);
  const present = volumes.map(asObject).find((volume) => String(volume?.['name']).startsWith('kube-api-access-'));
  const name = asString(present?.['name']) ?? generatedName('kube-api-access-', call.random);
  for (const container of bare) {
    const mount = { name, readOnly: true, mountPath: tokenMountPath };
    container['volumeMounts'] = [...asArray(container['volumeMounts']), mount];
  }
  if (!present) spec['volumes'] = [...volumes, tokenVolume(name)];
}

function tokenVolume(name: string): JsonObject {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}
