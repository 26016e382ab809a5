// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, ensureObject, type JsonObject } from '../../json/json.ts';
import { invalid } from '../../validation/field-error.ts';
import { labelErrors } from '../../validation/names.ts';
import { keepField, metadataOf, restoreStatus } from '../reset-fields.ts';
import type { Strategy } from '../strategy.ts';

/** Every namespace has its name as a label, so that selectors can use it. */
export function namespaceDefaults(object: JsonObject): void {
  const metadata = metadataOf(object);
  if (typeof metadata['name'] !== 'string' || metadata['name'] === '') return;
  ensureObject(metadata, 'labels')['kubernetes.io/metadata.name'] = metadata['name'];
}

const detail = 'name is neither a standard finalizer name nor is it fully qualified';

/** Namespaces: `spec.finalizers` keeps them until their content is deleted. */
export const namespaceStrategy: Strategy = {
  returnsDeleted: true,
  validateName: labelErrors,
  prepareForCreate(object) {
    object['status'] = { phase: 'Active' };
    const spec = ensureObject(object, 'spec');
    const finalizers = asArray(spec['finalizers']).map(String);
    if (!finalizers.includes('kubernetes')) spec['finalizers'] = [...finalizers, 'kubernetes'];
  },
  validate(object) {
    const finalizers = asArray(asObject(object['spec'])?.['finalizers']).map(String);
    return finalizers
      .filter((name) => name !== 'kubernetes' && !name.includes('/'))
      .map((name) => invalid('spec.finalizers', name, detail));
  },
  prepareForUpdate(object, old) {
    restoreStatus(object, old);
    const spec = ensureObject(object, 'spec');
    keepField(spec, asObject(old['spec']) ?? {}, 'finalizers');
  },
  prepareForStatusUpdate(object, old) {
    keepField(object, old, 'spec');
  },
  // A namespace that is being deleted stays until the namespace controller has removed its finalizer.
  waitsFor: (object) => asArray(asObject(object['spec'])?.['finalizers']).length > 0,
  prepareForDelete(object) {
    ensureObject(object, 'status')['phase'] = 'Terminating';
  },
};
