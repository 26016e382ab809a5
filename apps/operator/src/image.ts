// SPDX-License-Identifier: Apache-2.0
import { version } from './version.ts';

/** The one name of the operator's image: programs, manifests, examples, chart and tests use exactly this reference. */
export const operatorImageName: string = `quay.io/etcd-operator/etcd-operator:v${version}`;
