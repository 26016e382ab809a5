// SPDX-License-Identifier: Apache-2.0
import type { Check } from '../check.ts';

const file = 'package-lock.json';

/** Licences of packages that may be shipped: they require only their notice. */
const permitted = new Set(['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT']);

interface Entry {
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
}

/** Shipped packages must have a permitted licence, and all installed packages a hash. */
export const licences: Check = {
  name: 'licences and hashes of packages',
  async run(tree) {
    if (!tree.has(file)) return { problems: [] };
    const { packages = {} } = JSON.parse(tree.read(file)) as { packages?: Readonly<Record<string, Entry>> };
    const foreign = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);
    // Tools for other platforms have none if the registry did not offer them when the lock file was written.
    const unhashed = foreign.filter(
      ([, { integrity, dev, optional }]) => !integrity?.startsWith('sha512-') && !(dev && optional),
    );
    const unlicensed = foreign.filter(([, entry]) => !entry.dev && !entry.devOptional && !isPermitted(entry.license));
    return {
      problems: [
        ...unhashed.map(([path]) => ({
          rule: 'missing-integrity',
          file,
          message: `${path} has no SHA-512: what is installed for it cannot be compared with anything`,
        })),
        ...unlicensed.map(([path, { license = 'none' }]) => ({
          rule: 'licence',
          file,
          message: `${path} has the licence ${license}; what is shipped may have ${[...permitted].join(', ')}`,
        })),
      ],
    };
  },
};

/** If an author offers several licences, we may choose one. */
function isPermitted(licence: string | undefined): boolean {
  return (licence ?? '')
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((one) => permitted.has(one));
}
