// SPDX-License-Identifier: Apache-2.0
import type { ImageFiles } from '../images/image.ts';
import type { Addresses } from '../network/addresses.ts';

/**
 * A pod's network: one network namespace with an address of each family. It is kept when the pod's containers restart.
 */
export interface SandboxSpec {
  /** Unique in the lab; the pod's UID and the attempt. */
  readonly id: string;
  readonly addresses: Addresses;
}

/** A folder or file of the host that is mounted at `target`. */
export interface ContainerMount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** Everything needed to start a container. */
export interface ContainerSpec {
  /** Unique in the lab: 64 hexadecimal digits, as container runtimes write them. */
  readonly id: string;
  readonly sandbox: string;
  readonly hostname: string;
  readonly files: ImageFiles;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** In the order they are mounted: outer targets first. */
  readonly mounts: readonly ContainerMount[];
  /**
   * The user inside the container; by default root. It is mapped to the user that runs the lab, so a container has only
   * one.
   */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly readOnlyRoot: boolean;
  /** A container that uses more memory is killed, and its exit has `outOfMemory`. */
  readonly memoryLimitBytes?: number;
  /** Folder on the host for the container's writable layer; created and removed by the runtime. */
  readonly directory: string;
  /** File on the host for standard output and standard error. Appended to. */
  readonly logFile: string;
}

/** How a container's main process exited. */
export interface ContainerExit {
  readonly container: string;
  /** 128 + the signal's number if a signal ended it. */
  readonly exitCode: number;
  /** The signal's number, if a signal ended it. */
  readonly signal?: number;
  /** True if the container exceeded its memory limit. */
  readonly outOfMemory?: boolean;
}

/** The result of a command inside a container. Output is truncated at the requested limit. */
export interface ExecResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A health check with resolved port numbers. */
export type ProbeTarget =
  | { readonly kind: 'exec'; readonly container: string; readonly argv: readonly string[] }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | {
      readonly kind: 'http';
      readonly scheme: 'http' | 'https';
      readonly host: string;
      readonly port: number;
      readonly path: string;
      readonly headers: readonly { readonly name: string; readonly value: string }[];
    }
  | { readonly kind: 'grpc'; readonly host: string; readonly port: number; readonly service: string };

/** `output` is what the kubelet shows after "probe failed:". */
export interface ProbeOutcome {
  readonly success: boolean;
  readonly output: string;
}

/**
 * What a kubelet needs from its machine: sandboxes, containers, health checks and memory file systems.
 *
 * Guarantees: every started container gets exactly one `exit`, after `startContainer` resolved; removing something that
 * does not exist succeeds. Failures are `RuntimeError`s.
 */
export interface ContainerRuntime {
  createSandbox(spec: SandboxSpec): Promise<void>;
  /** Kills every container that still runs in the sandbox, and removes the sandbox. */
  removeSandbox(id: string): Promise<void>;
  /** Resolves when the program has been started; `StartFailed` if there is no such program in the image. */
  startContainer(spec: ContainerSpec): Promise<void>;
  /** Delivers a signal to the main process; nothing happens if it has ended. */
  signalContainer(id: string, signal: NodeJS.Signals): Promise<void>;
  /** Removes the writable layer of an exited container. */
  removeContainer(id: string, directory: string): Promise<void>;
  exec(id: string, argv: readonly string[], limits: ExecLimits): Promise<ExecResult>;
  probe(target: ProbeTarget, timeoutMilliseconds: number): Promise<ProbeOutcome>;
  /** Mounts a memory file system on a folder of the host, visible to containers; a size is a hard limit. */
  mountMemory(directory: string, sizeBytes?: number): Promise<void>;
  /** Changes the hard limit of a memory file system. */
  resizeMemory(directory: string, sizeBytes: number): Promise<void>;
  /** Empties and unmounts a memory file system. */
  unmount(directory: string): Promise<void>;
  /** Writes a volume's files so that containers see either all old or all new ones; see `writeVolume`. */
  writeFiles(directory: string, files: readonly WrittenFile[], name: string): Promise<void>;
  onExit(listener: (exit: ContainerExit) => void): () => void;
}

/** One file of a volume. */
export interface WrittenFile {
  /** Relative to the volume. */
  readonly path: string;
  readonly base64: string;
  readonly mode: number;
}

/** Limits of a command inside a container. A command that takes longer is ended with code `Timeout`. */
export interface ExecLimits {
  readonly timeoutMilliseconds: number;
  /** @default 64 KiB of each stream */
  readonly maxBytes?: number;
}
