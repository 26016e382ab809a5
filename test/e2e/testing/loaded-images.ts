// SPDX-License-Identifier: Apache-2.0

const name = 'loaded-images';

/**
 * A cluster without a registry: a loaded image is used where a manifest would always pull (a name without a tag does).
 * The manifests are applied unchanged.
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

/** The arguments of `kubectl delete` that remove it. */
export const loadedImagesNames = ['mutatingadmissionpolicybinding', 'mutatingadmissionpolicy'].map(
  (kind) => `${kind}/${name}`,
);
