// SPDX-License-Identifier: Apache-2.0
import { version } from './version.ts';

/** The reference of the operator's image. Programs, manifests, examples, chart and tests use exactly this one. */
export const operatorImageName: string = `quay.io/etcd-operator/etcd-operator:v${version}`;
