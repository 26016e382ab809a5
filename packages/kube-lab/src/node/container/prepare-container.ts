// SPDX-License-Identifier: Apache-2.0
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import type { Container, Pod } from '@operator-parts/kube';
import type { Image } from '../../images/image.ts';
import type { ContainerMount, ContainerSpec } from '../../runtime/container-runtime.ts';
import { quantityNumber } from '../../schema/quantity-text.ts';
import { ConfigError, type ConfigSource } from '../environment/config-source.ts';
import { containerEnvironment } from '../environment/container-environment.ts';
import { expand } from '../environment/expansion.ts';
import type { PodRuntimeFacts } from '../environment/field-path.ts';
import { podHostname } from '../files/pod-files.ts';
import type { PodVolumes } from '../files/pod-volumes.ts';

/** What is needed to start a container. */
export interface PrepareInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly image: Image;
  readonly runId: string;
  readonly sandbox: string;
  readonly where: PodRuntimeFacts;
  readonly config: ConfigSource;
  readonly volumes: PodVolumes;
  /** Files that every container of the pod sees. */
  readonly podFiles: readonly ContainerMount[];
  /** Folder of this run: writable layer and termination message. */
  readonly directory: string;
  readonly logFile: string;
}

/** Converts a container of the API to one of the runtime. Throws a `ConfigError` if it cannot be run as declared. */
export async function prepareContainer(input: PrepareInput): Promise<ContainerSpec> {
  const { pod, container, image } = input;
  const declared = containerEnvironment(input);
  const env = { ...image.env, ...declared };
  const substitute = (text: string) =>
    expand(text, (name) => (Object.hasOwn(declared, name) ? declared[name] : undefined));
  const command = container.command?.map(substitute) ?? [];
  const args = container.args?.map(substitute) ?? [];
  const argv =
    command.length > 0 ? [...command, ...args] : [...image.entrypoint, ...(args.length > 0 ? args : image.cmd)];
  if (argv.length === 0) throw new ConfigError('no command specified');
  const user = userOf(pod, container, image);
  return {
    id: input.runId,
    sandbox: input.sandbox,
    hostname: podHostname(pod),
    files: image.files,
    argv,
    env,
    workingDirectory: container.workingDir || image.workingDirectory || '/',
    mounts: [...input.podFiles, await terminationLog(input), ...(await volumeMounts(input, substitute))],
    ...(user ? { user } : {}),
    readOnlyRoot: container.securityContext?.readOnlyRootFilesystem === true,
    ...memoryLimit(container),
    directory: join(input.directory, 'layer'),
    logFile: input.logFile,
  };
}

function memoryLimit(container: Container): Pick<ContainerSpec, 'memoryLimitBytes'> {
  const limit = container.resources?.limits?.['memory'];
  return limit === undefined ? {} : { memoryLimitBytes: quantityNumber(limit) };
}

/** Where a run's termination message lies on the host. */
export function terminationFile(directory: string): string {
  return join(directory, 'termination-log');
}

async function terminationLog(input: PrepareInput): Promise<ContainerMount> {
  const source = terminationFile(input.directory);
  await mkdir(input.directory, { recursive: true });
  await writeFile(source, '');
  return { source, target: input.container.terminationMessagePath || '/dev/termination-log', readOnly: false };
}

async function volumeMounts(input: PrepareInput, substitute: (text: string) => string): Promise<ContainerMount[]> {
  const mounts: ContainerMount[] = [];
  for (const { name, mountPath, readOnly, subPath, subPathExpr } of input.container.volumeMounts ?? []) {
    const volume = input.volumes.path(name);
    if (!volume) throw new ConfigError(`volume "${name}" is not set up`);
    const inside = subPathExpr ? substitute(subPathExpr) : subPath;
    const source = inside ? join(volume, normalize(`/${inside}`)) : volume;
    const isFixed = isReadOnlyVolume(input.pod, name);
    if (inside && !isFixed) await makeSubPath(source);
    mounts.push({ source, target: mountPath, readOnly: readOnly === true || isFixed });
  }
  return mounts;
}

/** Creates the folder of a sub-path if nothing exists there. */
async function makeSubPath(path: string): Promise<void> {
  const exists = await stat(path).then(
    () => true,
    () => false,
  );
  if (!exists) await mkdir(path, { recursive: true });
}

/** Volumes created from API objects are read-only for pods. */
function isReadOnlyVolume(pod: Pod, name: string): boolean {
  const volume = pod.spec?.volumes?.find((each) => each.name === name);
  return Boolean(volume?.secret ?? volume?.configMap ?? volume?.downwardAPI ?? volume?.projected);
}

function userOf(
  pod: Pod,
  container: Container,
  image: Image,
): { readonly uid: number; readonly gid: number } | undefined {
  const own = container.securityContext ?? {};
  const whole = pod.spec?.securityContext ?? {};
  const uid = own.runAsUser ?? whole.runAsUser ?? image.user ?? 0;
  // In the lab, a container has only one group. Without `runAsGroup`, that is `fsGroup`, the owner of the volumes.
  const gid = own.runAsGroup ?? whole.runAsGroup ?? (uid === 0 ? 0 : whole.fsGroup) ?? 0;
  if ((own.runAsNonRoot ?? whole.runAsNonRoot) && uid === 0) {
    const { name, namespace, uid: podUid } = pod.metadata ?? {};
    const where = `(pod: "${name}_${namespace}(${podUid})", container: ${container.name})`;
    const declared = own.runAsUser ?? whole.runAsUser;
    throw new ConfigError(
      declared === 0
        ? `container's runAsUser breaks non-root policy ${where}`
        : `container has runAsNonRoot and image will run as root ${where}`,
    );
  }
  return uid === 0 && gid === 0 ? undefined : { uid, gid };
}
