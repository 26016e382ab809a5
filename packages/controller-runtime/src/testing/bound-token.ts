// SPDX-License-Identifier: Apache-2.0
import { type Client, type ObjectKey, secrets, serviceAccounts } from '@operator-parts/kube';

/** Makes a token of an account that the server accepts while a Secret with this name exists, and makes that Secret. */
export async function tokenBoundTo(admin: Client, account: ObjectKey, name: string): Promise<string> {
  const made = await admin.resource(secrets).create({ metadata: { namespace: 'default', name } });
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name, uid: made.metadata?.uid };
  const { status } = (await admin
    .resource(serviceAccounts)
    .subresource('token')
    .create(account, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { boundObjectRef } })) as {
    status: { token: string };
  };
  return status.token;
}
