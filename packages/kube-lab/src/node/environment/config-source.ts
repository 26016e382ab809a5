// SPDX-License-Identifier: Apache-2.0
import type { ConfigMap, PersistentVolume, PersistentVolumeClaim, Pod, Secret, Service } from '@etcd-operator/kube';

/** What a kubelet looks up besides its pods. Answers come from memory: what this node has seen last. */
export interface ConfigSource {
  secret(namespace: string, name: string): Secret | undefined;
  configMap(namespace: string, name: string): ConfigMap | undefined;
  services(namespace: string): readonly Service[];
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  /** A token of the pod's service account, as `serviceAccountToken` projections want it. */
  token(pod: Pod, audience: string | undefined, expirationSeconds: number): Promise<string>;
}

/** A thing that a pod refers to is missing or not fit. `message` is what the kubelet says about it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
