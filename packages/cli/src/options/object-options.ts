import type { OptionTable } from './option.js'

/** Where a cluster's objects come from; shared by the commands that read one cluster. */
export const objectOptions = {
  filename: {
    type: 'string',
    short: 'f',
    multiple: true,
    placeholder: 'FILE|DIR|-',
    description:
      'Objects to read, YAML or JSON; may be given several times.\n' +
      '-: standard input. DIR: every .yaml, .yml and .json file in it,\n' +
      'by name, subdirectories left out.',
  },
} as const satisfies OptionTable
