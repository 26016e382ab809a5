// SPDX-License-Identifier: Apache-2.0
import { userInfo } from '../handlers/access/user-info.ts';
import type { JsonObject } from '../json/json.ts';
import type { AdmissionRequest } from './admission-request.ts';

const optionKinds: Readonly<Record<string, string>> = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  delete: 'DeleteOptions',
  deletecollection: 'DeleteOptions',
};

/** The request that webhooks receive, `admission.k8s.io/v1`. */
export function admissionReview(request: AdmissionRequest, uid: string): JsonObject {
  const { call, operation, object, old, namespace, name, dryRun } = request;
  const { resource, info, query, identity } = call;
  const kind = { group: resource.group, version: resource.version, kind: resource.kind };
  const asked = { group: resource.group, version: resource.version, resource: resource.plural };
  const options: JsonObject = { kind: optionKinds[info.verb] ?? 'CreateOptions', apiVersion: 'meta.k8s.io/v1' };
  for (const key of ['fieldManager', 'fieldValidation']) {
    const value = query.get(key);
    if (value) options[key] = value;
  }
  if (dryRun) options['dryRun'] = ['All'];
  const shown = (one: JsonObject | undefined) => (one ? resource.codec.toVersion(one) : null);
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      kind,
      resource: asked,
      ...(info.subresource ? { subResource: info.subresource } : {}),
      requestKind: kind,
      requestResource: asked,
      ...(info.subresource ? { requestSubResource: info.subresource } : {}),
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      operation,
      userInfo: userInfo(identity),
      object: shown(object),
      oldObject: shown(old),
      dryRun,
      options,
    },
  };
}
