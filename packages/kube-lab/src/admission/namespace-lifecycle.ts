// SPDX-License-Identifier: Apache-2.0
import { asString, getIn } from '../json/json.ts';
import { ApiError, forbidden, notFound } from '../server/api-error.ts';
import type { AdmissionStep } from './admission-request.ts';

const protectedNamespaces = new Set(['default', 'kube-system', 'kube-public']);
const namespaces = { group: '', plural: 'namespaces' };

/**
 * Refuses to create objects in a namespace that does not exist or is being deleted, and to delete the three system
 * namespaces.
 */
export const namespaceLifecycle: AdmissionStep = ({ call, operation, namespace, name }) => {
  const { resource, core } = call;
  if (resource.collection === 'namespaces') {
    if (operation === 'DELETE' && protectedNamespaces.has(name)) {
      throw forbidden(resource, name, 'this namespace may not be deleted');
    }
    return;
  }
  if (!resource.namespaced || operation !== 'CREATE') return;
  const present = core.store.get('namespaces', namespace);
  if (!present) throw notFound(namespaces, namespace);
  if (asString(getIn(present.object, 'status', 'phase')) !== 'Terminating') return;
  const refusal = forbidden(
    resource,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  throw new ApiError(refusal.code, refusal.reason, refusal.message, { ...refusal.details, causes: [cause] });
};
