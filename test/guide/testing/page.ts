// SPDX-License-Identifier: Apache-2.0
import { blocksOf } from '@etcd-operator/tools/markdown';

/** The actions of a page: files to save, and commands to type, in order. */
export type Action = { readonly line: number; readonly section: string } & (
  | { readonly kind: 'save'; readonly file: string; readonly text: string }
  | { readonly kind: 'type'; readonly script: string }
);

/**
 * The actions of a Markdown page. A `yaml` block that begins with a comment such as `# my-cluster.yaml` is a file to
 * save, `sh` is typed. Others (`text`, `console`) are only read.
 */
export function actionsOf(path: string): readonly Action[] {
  return blocksOf(path).flatMap(({ language, content, line, section }): readonly Action[] => {
    if (language === 'sh') return [{ kind: 'type', line, section, script: content }];
    const file = /^# (\S+\.yaml)\n/.exec(content)?.[1];
    return language === 'yaml' && file ? [{ kind: 'save', line, section, file, text: `${content}\n` }] : [];
  });
}
