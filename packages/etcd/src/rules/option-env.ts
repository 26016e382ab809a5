// SPDX-License-Identifier: Apache-2.0
import { envOfFlag, gatedFlags, hasFlag, oldNameOf } from './flags.ts';
import type { EtcdVersion } from './version.ts';

/** An option that the operator itself sets, by the name that the newest etcd gives it. */
export type OptionSetting =
  | { readonly flag: string; readonly value: string }
  | { readonly gate: string; readonly enabled: boolean };

/** The environment for one version, and what that version cannot do. */
export interface OptionEnv {
  readonly env: Readonly<Record<string, string>>;
  /** Options without any spelling in that version; leaving them out is all one can do. */
  readonly unsupported: readonly OptionSetting[];
}

/**
 * Spells options for a version (operator-rules 11): exactly one spelling each, gates together in `ETCD_FEATURE_GATES` from
 * 3.6 on and as experimental switches before, so that an image and its environment always fit. Variables come out sorted.
 */
export function optionEnv(settings: readonly OptionSetting[], version: EtcdVersion): OptionEnv {
  const env = new Map<string, string>();
  const unsupported: OptionSetting[] = [];
  const gates: string[] = [];
  const hasGates = hasFlag('feature-gates', version);
  for (const setting of settings) {
    if ('gate' in setting && hasGates) {
      gates.push(`${setting.gate}=${setting.enabled}`);
      continue;
    }
    const spelled = spell(setting, version);
    if (spelled) env.set(envOfFlag(spelled.flag), spelled.value);
    else unsupported.push(setting);
  }
  if (gates.length > 0) env.set('ETCD_FEATURE_GATES', gates.toSorted().join(','));
  const sorted = [...env].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { env: Object.fromEntries(sorted), unsupported };
}

function spell(setting: OptionSetting, version: EtcdVersion): { flag: string; value: string } | undefined {
  const candidates =
    'gate' in setting
      ? gatedFlags.filter((entry) => entry.gate === setting.gate).map((entry) => entry.flag)
      : [setting.flag, oldNameOf(setting.flag)];
  const flag = candidates.find((candidate) => candidate !== undefined && hasFlag(candidate, version));
  if (flag === undefined) return undefined;
  return { flag, value: 'gate' in setting ? String(setting.enabled) : setting.value };
}
