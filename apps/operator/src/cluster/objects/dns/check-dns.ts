// SPDX-License-Identifier: Apache-2.0
import type { Container } from '@operator-parts/kube';

/** The image that CoreOS uses: its nslookup is built on glibc. */
export const defaultBusyboxImage = 'busybox:1.28.0-glibc';

/**
 * Waits until DNS resolves at least one of the given names. busybox's nslookup does not use search domains, so the script builds full
 * names: with the cluster domain if the spec names it, otherwise with each search domain of the pod. The script asks five times a second.
 */
const script = `seconds=$1; style=$2; shift 2; asked=0
if [ "$style" = absolute ]; then domains=.; else domains=$(sed -n 's/^search[[:space:]]*//p' /etc/resolv.conf); fi
while :; do
  for name in "$@"; do
    for domain in $domains; do
      if [ "$domain" = . ]; then full="$name."; else full="$name.$domain."; fi
      if nslookup "$full" >/dev/null 2>&1; then exit 0; fi
    done
  done
  asked=$((asked + 1))
  if [ "$seconds" -gt 0 ] && [ "$asked" -ge $((seconds * 5)) ]; then
    echo "DNS did not know $* within $seconds s" >&2
    exit 1
  fi
  usleep 200000 2>/dev/null || sleep 1
done`;

export interface CheckDnsOptions {
  readonly image: string | undefined;
  /** The names to resolve, tried in this order. One name that resolves is enough. */
  readonly hosts: readonly string[];
  /** 0 waits without a limit. */
  readonly timeoutSeconds: number;
  /** True if the hosts end with the cluster domain. */
  readonly isAbsolute: boolean;
}

/** The init container `check-dns`. Values are passed to the shell only as arguments. */
export function checkDns(
  options: CheckDnsOptions,
): Pick<Container, 'name' | 'image' | 'command'> & { readonly name: string } {
  const { hosts, timeoutSeconds, isAbsolute } = options;
  const style = isAbsolute ? 'absolute' : 'search';
  return {
    name: 'check-dns',
    image: options.image || defaultBusyboxImage,
    command: ['/bin/sh', '-ec', script, 'check-dns', String(timeoutSeconds), style, ...hosts],
  };
}
