// SPDX-License-Identifier: Apache-2.0
import type { ContainerSpec } from '../../container-runtime.ts';
import type { SystemTools } from '../../system-tools.ts';
import type { ContainerRoot } from './container-root.ts';

/**
 * The script of the container's first process before it becomes the program: mounts in its own mount namespace, then
 * switches the root. It reports on descriptor 3, line by line: `pid N` (as the lab sees it), then `started` just before
 * the program starts, or `missing` if there is no such program, or the error. Descriptors 1 and 4 are the program's
 * output.
 */
export function containerScript(tools: SystemTools, spec: ContainerSpec, { root, fstab }: ContainerRoot): string {
  const user = spec.user ? `-U --map-user=${spec.user.uid} --map-group=${spec.user.gid}` : '';
  const freeze = spec.readOnlyRoot ? `${quote(tools.mount)} -o remount,bind,ro ${quote(root)}` : ':';
  // A container with a user needs a user namespace. A process whose root differs from the root of its mount namespace
  // cannot create one, so the root is not moved then.
  const move = spec.user ? ':' : `${quote(tools.mount)} --move ${quote(root)} /`;
  const name = quote(spec.hostname);
  // The program `hostname` may be missing, and only a real root user can write the file. If both fail, the pod runs
  // without its hostname.
  return `
set -e
exec 2>&3
read -r pid rest < /proc/self/stat
echo "pid $pid" >&3
{ PATH=$PATH:/usr/bin:/bin hostname ${name} || echo ${name} > /proc/sys/kernel/hostname; } 2>/dev/null || :
${quote(tools.mount)} -a -T ${quote(fstab)}
${freeze}
cd ${quote(root)}
${move}
directory=${quote(spec.workingDirectory)}
runnable() {
  [ -L "$1" ] || { [ -f "$1" ] && [ -x "$1" ]; }
}
present() {
  case $1 in
    /*) runnable ".$1" ;;
    */*) runnable ".$directory/$1" ;;
    *) (IFS=:; for folder in $PATH; do if runnable ".$folder/$1"; then exit 0; fi; done; exit 1) ;;
  esac
}
if ! present "$1"; then echo missing >&3; exit 127; fi
echo started >&3
# Set by this shell; the program must not get it.
unset OLDPWD
exec ${quote(tools.unshare)} ${user} --root=. --wd="$directory" -- "$@" 2>&4 3>&- 4>&-
`;
}

/** A shell word for exactly this text. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
