import type { OptionTable } from './option.js'

/** The option for the subdirectories of sources. */
export const recursiveOption = {
  recursive: {
    type: 'boolean',
    short: 'R',
    description: 'Also read the subdirectories of DIR, except hidden ones.',
  },
} as const satisfies OptionTable

/** Options for the sources of objects; shared by the commands that read one cluster. */
export const objectOptions = {
  filename: {
    type: 'string',
    short: 'f',
    multiple: true,
    placeholder: 'FILE|DIR|-',
    description:
      'Objects to read, YAML or JSON; repeatable. -: standard input.\n' +
      'DIR: every .yaml, .yml and .json file in it, by name, without\n' +
      'subdirectories; see -R.',
  },
  ...recursiveOption,
} as const satisfies OptionTable

/** Options for the state of a live node; shared by the commands that read dumps. */
export const dumpOptions = {
  dump: {
    type: 'string',
    multiple: true,
    placeholder: 'FILE|-',
    description:
      'The rules of the node: output of iptables-save, ip6tables-save,\n' +
      'ipset save, ipvsadm -Sn, ip -o address show dev kube-ipvs0 and\n' +
      'nft list ruleset, in any order, in one file or several.',
  },
} as const satisfies OptionTable

/** Options that replace API server defaulting for manifests; shared by the commands that compute a future state. */
export const manifestOptions = {
  namespace: {
    type: 'string',
    short: 'n',
    placeholder: 'NAME',
    description: 'The namespace of objects without one, as in kubectl apply.',
  },
  assume: {
    type: 'boolean',
    description:
      'Assume missing values: cluster IPs, node ports,\n' +
      'load-balancer IPs, and endpoints for the pods of workloads.\n' +
      'Default if there is no EndpointSlice. Do not load such rules.',
  },
  'no-assume': {
    type: 'boolean',
    description: 'Assume nothing.',
  },
} as const satisfies OptionTable
