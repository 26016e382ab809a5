// SPDX-License-Identifier: Apache-2.0
import type { Container, Pod } from '@operator-parts/kube';
import { quantityNumber } from '../../schema/quantity-text.ts';

/** What a container without a limit may use: the whole node. */
const nodeCapacity: Readonly<Record<string, number>> = {
  cpu: 8,
  memory: 16 * 2 ** 30,
  'ephemeral-storage': 100 * 2 ** 30,
};

/** `resourceFieldRef`: a request or limit of a container, divided and rounded up. */
export function resourceValue(
  pod: Pod,
  container: Container,
  reference: { readonly resource: string; readonly divisor?: string; readonly containerName?: string },
): string {
  const all = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const subject = all.find(({ name }) => name === reference.containerName) ?? container;
  const [side, ...rest] = reference.resource.split('.');
  const name = rest.join('.');
  const amount = side === 'requests' ? subject.resources?.requests?.[name] : subject.resources?.limits?.[name];
  const fallback = side === 'requests' ? 0 : (nodeCapacity[name] ?? 0);
  const value = amount === undefined ? fallback : quantityNumber(amount);
  const divisor = reference.divisor && reference.divisor !== '0' ? quantityNumber(reference.divisor) : 1;
  return String(Math.ceil(value / divisor));
}
