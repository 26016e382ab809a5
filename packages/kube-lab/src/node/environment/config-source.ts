// SPDX-License-Identifier: Apache-2.0
import type { ConfigMap, PersistentVolume, PersistentVolumeClaim, Pod, Secret, Service } from '@operator-parts/kube';

/** What a kubelet looks up besides its pods. Answers come from the cache: what this node saw last. */
export interface ConfigSource {
  secret(namespace: string, name: string): Secret | undefined;
  configMap(namespace: string, name: string): ConfigMap | undefined;
  services(namespace: string): readonly Service[];
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  /** A token of the pod's service account, for `serviceAccountToken` projections. */
  token(pod: Pod, audience: string | undefined, expirationSeconds: number): Promise<string>;
}

/** An object that a pod refers to is missing or invalid. `message` is the kubelet's. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
