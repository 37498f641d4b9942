import { listSubsystemChoices } from '@kube-rules/application/selectable-subsystem'
import { formatsOf, listSubsystems, type TextFormat } from '@kube-rules/compiler'
import { clusterOptions } from '../../options/cluster-options.js'
import { familyOption } from '../../options/family-option.js'
import { formatAlternatives } from '../../options/format-alternatives.js'
import { manifestOptions, objectOptions } from '../../options/input-options.js'
import { liveOptions } from '../../options/live-options.js'
import { commonOptions, type OptionTable } from '../../options/option.js'

export const printOptions = {
  ...objectOptions,
  ...liveOptions,
  ...clusterOptions,
  ...manifestOptions,
  family: {
    ...familyOption,
    description:
      'The address families. Default: both for json; for text IPv4, or\n' +
      'IPv6 if no Service has an IPv4 address. Text of both families\n' +
      'has the headings # IPv4 and # IPv6.',
  },
  subsystem: {
    type: 'string',
    choices: listSubsystemChoices(),
    placeholder: 'SUBSYSTEM',
    description:
      `Print one subsystem only: ${formatAlternatives(listSubsystemChoices())}.\n` +
      'Default: all of the mode, each with a heading such as # ipset.',
  },
  format: {
    type: 'string',
    choices: [...formatNames(), 'script'],
    placeholder: 'FORMAT',
    description:
      'restore (default): what kube-proxy writes in one sync, input of\n' +
      'iptables-restore --noflush or nft -f -; without the jumps from\n' +
      'built-in chains. save: the node afterwards, output of\n' +
      'iptables-save or nft list ruleset. script: for sh as root, gives\n' +
      'any node these rules and jumps, and may run again.\n' +
      'listing: output of iptables -t nat -L -n for each table, or in\n' +
      'ipvs mode of ipvsadm -Ln.',
  },
  verbose: { type: 'boolean', description: 'List counters and interfaces, as iptables -L -v does.' },
  'line-numbers': { type: 'boolean', description: 'Print the number of each rule, like iptables -L --line-numbers.' },
  names: { type: 'boolean', description: 'Print `anywhere` and port names, as iptables -L without -n.' },
  'protocol-numbers': {
    type: 'boolean',
    description: 'Print protocols as numbers, as iptables -n 1.8.8 to 1.8.10 does.',
  },
  backend: {
    type: 'string',
    choices: ['nft', 'legacy'],
    description:
      'The iptables back end: of iptables-save to imitate, or of the node\nfor --format script. Default: nft.',
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

/** Returns the text formats of all subsystems. */
function formatNames(): readonly TextFormat[] {
  return [...new Set(listSubsystems().flatMap(formatsOf))]
}
