// SPDX-License-Identifier: Apache-2.0

const name = 'loaded-images';

/**
 * A cluster without a registry: where a manifest would have an image pulled each time (a name without a tag does), the one that was loaded is
 * taken. The manifests stay as they are printed.
 */
export const loadedImagesPolicy: readonly object[] = [
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: {
            expression:
              'Object{spec: Object.spec{containers: object.spec.containers.map(c, ' +
              'Object.spec.containers{name: c.name, imagePullPolicy: "IfNotPresent"})}}',
          },
        },
      ],
    },
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name },
  },
];

/** What `kubectl delete` takes to be rid of it. */
export const loadedImagesNames = ['mutatingadmissionpolicybinding', 'mutatingadmissionpolicy'].map(
  (kind) => `${kind}/${name}`,
);
