// SPDX-License-Identifier: Apache-2.0
import { asString, type JsonObject } from '../../json/json.ts';
import { type FieldError, invalid } from '../../validation/field-error.ts';

/** From least to most strict; see the Pod Security Standards. */
export type Level = 'privileged' | 'baseline' | 'restricted';

/**
 * A level and the Kubernetes version of its rules. Only the newest rules are implemented; the version is only shown.
 */
export interface LevelVersion {
  readonly level: Level;
  readonly version: string;
}

/** The levels that the labels of a namespace set. The lab does not audit. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
  /** Invalid labels. */
  readonly errors: readonly FieldError[];
}

const prefix = 'pod-security.kubernetes.io/';
const levels: readonly Level[] = ['privileged', 'baseline', 'restricted'];
const free: LevelVersion = { level: 'privileged', version: 'latest' };

/** Reads the labels of a namespace; undefined if it has no Pod Security labels. */
export function policyOf(labels: JsonObject | undefined): Policy | undefined {
  if (!labels || !Object.keys(labels).some((key) => key.startsWith(prefix))) return undefined;
  const errors: FieldError[] = [];
  const enforceLevel = readLevel(labels, 'enforce', errors);
  const enforce = {
    level: enforceLevel ?? free.level,
    version: readVersion(labels, 'enforce', errors) ?? free.version,
  };
  readLevel(labels, 'audit', errors);
  readVersion(labels, 'audit', errors);
  const warnLevel = readLevel(labels, 'warn', errors);
  const warnVersion = readVersion(labels, 'warn', errors);
  // Without a `warn` label, users are warned about workloads whose pods the enforced level would refuse.
  const follows = labels[`${prefix}warn`] === undefined && enforceLevel !== undefined && errors.length === 0;
  const warn = follows
    ? { level: enforce.level, version: warnVersion ?? enforce.version }
    : { level: warnLevel ?? free.level, version: warnVersion ?? free.version };
  // If the value of `enforce` is not a level, the strictest level applies.
  const isUnread = labels[`${prefix}enforce`] !== undefined && enforceLevel === undefined;
  return { enforce: isUnread ? { ...enforce, level: 'restricted' } : enforce, warn, errors };
}

/** As messages write it: `restricted:latest`. */
export function policyText({ level, version }: LevelVersion): string {
  return `${level}:${version}`;
}

/** True if `a` is stricter than `b`. */
export function isStricter(a: Level, b: Level): boolean {
  return levels.indexOf(a) > levels.indexOf(b);
}

function readLevel(labels: JsonObject, mode: string, errors: FieldError[]): Level | undefined {
  const text = asString(labels[`${prefix}${mode}`]);
  if (text === undefined) return undefined;
  const level = levels.find((one) => one === text);
  if (!level) errors.push(labelError(mode, text, `must be one of ${levels.join(', ')}`));
  return level;
}

function readVersion(labels: JsonObject, mode: string, errors: FieldError[]): string | undefined {
  const text = asString(labels[`${prefix}${mode}-version`]);
  if (text === undefined || text === 'latest' || /^v1\.(0|[1-9][0-9]*)$/.test(text)) return text;
  errors.push(labelError(`${mode}-version`, text, 'must be "latest" or "v1.x"'));
  return undefined;
}

function labelError(name: string, value: string, detail: string): FieldError {
  return invalid(`metadata.labels[${prefix}${name}]`, value, detail);
}
