// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { stagingModules } from './kubernetes-module.ts';

test('the modules that Kubernetes takes from its own tree are found in either form, each once', () => {
  const goMod = `module k8s.io/kubernetes

go 1.26.0

require (
	github.com/example/other v0.0.0
	k8s.io/api v0.0.0
	k8s.io/klog/v2 v2.130.1
	k8s.io/kube-openapi v0.0.0-20260101000000-abcdef012345
	k8s.io/kubectl v0.0.0 // indirect
)

replace (
	k8s.io/api => ./staging/src/k8s.io/api
	k8s.io/cri-client => ./staging/src/k8s.io/cri-client
	k8s.io/elsewhere => example.com/elsewhere v1.0.0
)
`;
  expect(stagingModules(goMod)).toEqual(['k8s.io/api', 'k8s.io/cri-client', 'k8s.io/kubectl']);
});

test('a go.mod without such modules has none', () => {
  expect(stagingModules('module x\n\nrequire k8s.io/api v0.36.3\n')).toEqual([]);
});
