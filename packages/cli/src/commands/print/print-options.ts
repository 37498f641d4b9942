import { clusterOptions } from '../../options/cluster-options.js'
import { commonOptions } from '../../options/common-options.js'
import { objectOptions } from '../../options/object-options.js'
import type { OptionTable } from '../../options/option.js'

export const printOptions = {
  ...objectOptions,
  ...clusterOptions,
  family: {
    type: 'string',
    choices: ['4', '6', 'both'],
    description:
      'The address families. Default: for json both; for text IPv4,\n' +
      'or IPv6 where no Service has an IPv4 address. As text, both are\n' +
      'printed under the lines # IPv4 and # IPv6.',
  },
  part: {
    type: 'string',
    choices: ['ipset', 'ipvsadm', 'addresses', 'iptables'],
    placeholder: 'PART',
    description:
      'Mode ipvs: ipset, ipvsadm, addresses or iptables, ready to pipe.\n' +
      'Default: all of them, each under a line such as # ipset.',
  },
  style: {
    type: 'string',
    choices: ['restore', 'save', 'listing'],
    placeholder: 'STYLE',
    description:
      'restore: as kube-proxy feeds it to iptables-restore --noflush\n' +
      '(default). save: as iptables-save prints it afterwards.\n' +
      'listing, mode ipvs: what ipvsadm -Ln prints.',
  },
  backend: {
    type: 'string',
    choices: ['nft', 'legacy'],
    description: 'Whose spelling save has: iptables-nft (default) or\niptables-legacy.',
  },
  output: {
    type: 'string',
    short: 'o',
    choices: ['text', 'json'],
    description:
      'text: the rules (default). json: the rules, health-check ports,\ncounts and diagnostics in one document.',
  },
  ...commonOptions,
} as const satisfies OptionTable
